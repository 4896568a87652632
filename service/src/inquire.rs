//! Answers that only tell: lists, single threads, how things are.

use std::sync::Arc;

use postil_core::git::{BlobId, CommitId, RepoPath, Repository, tree};
use postil_core::record::{Entry, Side};
use postil_core::review::{Membership, Thread, ThreadState, Why};
use postil_protocol::{
    ByteText, Detail, Fault, HeadName, List, ListReply, MAX_LIST, Scope, Show, ShowReply, Status,
    StatusReply, ThreadLine, ThreadView,
};

use super::contents::{Contents, read_blob};
use super::doctor;
use super::filter::Wanted;
use super::kept::Ground;
use super::order::Rank;
use super::placing::{Asked, Bases, Entries};
use super::scene::Scene;
use super::sighted::Sighted;
use super::trouble::OrFault as _;
use super::view::{self, hex};
use crate::sharing;

/// How many lines are shown around where a comment is.
const LINES_AROUND: u32 = 3;

/// A thread of a list, with its place in the order and where it is.
pub(super) struct Ranked<'a> {
    rank: Rank<'a>,
    /// The thread.
    pub thread: Thread<'a>,
    /// Where it is.
    pub entry: Option<&'a Arc<Entry>>,
}

/// The threads of a list, in order.
pub(super) struct Chosen<'a> {
    /// The threads.
    pub threads: Vec<Ranked<'a>>,
    /// Where they are.
    pub entries: &'a Entries,
    /// What is seen from there.
    pub seen: &'a Sighted,
}

/// Whether one of these threads suggests something.
pub(super) fn suggests(views: &[ThreadView]) -> bool {
    views.iter().any(|thread| thread.suggestion.is_some())
}

impl Scene {
    /// Lists threads.
    pub fn list(&self, list: &List) -> Result<ListReply, Fault> {
        let (reply, _) = self.listed(list, |chosen| {
            let views = self.views(list, chosen, chosen.threads.iter())?;
            let suggests = suggests(&views);
            Ok((views, suggests))
        })?;
        Ok(reply)
    }

    /// Lists threads as `tell` tells of them; it says too whether any of them suggests something.
    pub fn listed<T>(
        &self,
        list: &List,
        tell: impl FnOnce(&Chosen<'_>) -> Result<(Vec<T>, bool), Fault>,
    ) -> Result<(ListReply<T>, Ground), Fault> {
        let seen = self.seen(&list.head)?;
        let wanted = Wanted::new(self, &list.filter)?;
        let in_scope =
            |thread: &Thread<'_>| list.scope == Scope::All || seen.threads.contains_key(&thread.id());
        let threads: Vec<Thread<'_>> =
            self.book.threads.iter().filter(in_scope).filter(|thread| wanted.may_be(*thread)).collect();
        let looked = self.look(&list.head, list.freshness, threads.iter().copied())?;
        let mut ranked: Vec<Ranked<'_>> = threads
            .into_iter()
            .map(|thread| (thread, looked.entries.get(&thread.id())))
            .filter(|(thread, entry)| wanted.is(*thread, entry.map(AsRef::as_ref)))
            .map(|(thread, entry)| Ranked { rank: Rank::of(thread, entry.map(AsRef::as_ref)), thread, entry })
            .collect();
        ranked.sort_unstable_by(|one, other| one.rank.cmp(&other.rank));
        let total = ranked.len();
        if let Some(cursor) = &list.cursor {
            let last = Rank::from_cursor(cursor)?;
            ranked.drain(..ranked.partition_point(|one| one.rank <= last));
        }
        let limit = list.limit.unwrap_or(MAX_LIST).min(MAX_LIST) as usize;
        // Of none, nobody can go on behind the last.
        let last = limit.checked_sub(1).filter(|_| ranked.len() > limit);
        let next = last.map(|last| ranked[last].rank.cursor());
        ranked.truncate(limit);
        let chosen = Chosen { threads: ranked, entries: &looked.entries, seen: &seen };
        let (mut threads, mut lines, mut suggests) = (Vec::new(), Vec::new(), false);
        if list.detail == Detail::Line {
            lines = self.lines(list, &chosen)?;
            suggests |= lines.iter().any(|line| line.suggestion.is_some());
        } else {
            (threads, suggests) = tell(&chosen)?;
        }
        let reply = ListReply {
            threads,
            lines,
            total: u32::try_from(total).unwrap_or(u32::MAX),
            next,
            resolving: looked.resolving,
            head: looked.head,
            notes: self.book.edition.notes.map(hex),
            elsewhere: self.elsewhere(seen.threads.len()),
        };
        // What becomes of a suggestion rests on files that no comment is in, and a signature on whom one believes.
        let ground = match looked.ground {
            Ground::Committed(_) if suggests => Ground::Unsettled,
            _ if !self.book.vouched.is_empty() => Ground::Unsettled,
            ground => ground,
        };
        Ok((reply, ground))
    }

    /// What fits into a line of each thread.
    fn lines(&self, list: &List, chosen: &Chosen<'_>) -> Result<Vec<ThreadLine>, Fault> {
        let line = |one: &Ranked<'_>| view::line(&self.book, one.thread, one.entry.map(AsRef::as_ref));
        let mut lines = chosen.threads.iter().map(line).collect::<Vec<ThreadLine>>();
        let threads = chosen.threads.iter().map(|one| one.thread);
        for (line, fate) in lines.iter_mut().zip(self.fates_of(threads, chosen.entries, &list.head)?) {
            line.suggestion = fate;
        }
        let roots = chosen.threads.iter().map(|one| one.thread.root_comment());
        self.tell_signatures_of_lines(roots, &mut lines);
        Ok(lines)
    }

    /// These of the chosen threads.
    pub fn views<'a>(
        &self,
        list: &List,
        chosen: &Chosen<'_>,
        threads: impl Iterator<Item = &'a Ranked<'a>>,
    ) -> Result<Vec<ThreadView>, Fault> {
        let view = |one: &Ranked<'_>| {
            let why = chosen.seen.threads.get(&one.thread.id()).copied();
            view::thread(&self.book, one.thread, one.entry.map(AsRef::as_ref), why, list.detail)
        };
        let mut threads = threads.map(view).collect::<Vec<ThreadView>>();
        self.tell_fates(&mut threads, chosen.entries, &list.head, list.detail)?;
        self.tell_signatures(&self.book, &mut threads);
        self.tell_passages(&mut threads, chosen.entries, &list.head)?;
        Ok(threads)
    }

    /// Shows one thread.
    pub fn show(&self, show: &Show) -> Result<ShowReply, Fault> {
        let thread = self.book.thread_named(&show.of)?;
        let why = self.seen(&show.head)?.threads.get(&thread.id()).copied();
        let looked = self.look(&show.head, postil_protocol::Freshness::Wait, [thread].into_iter())?;
        let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
        let review = match thread.review() {
            Membership::Review(review) => self.book.threads.group_of(review.id()),
            Membership::None | Membership::Unknown(_) => None,
        };
        let mut shown = view::thread(&self.book, thread, entry, why, Detail::Full);
        self.tell_fates(std::slice::from_mut(&mut shown), &looked.entries, &show.head, Detail::Full)?;
        self.tell_signatures(&self.book, std::slice::from_mut(&mut shown));
        self.tell_passages(std::slice::from_mut(&mut shown), &looked.entries, &show.head)?;
        Ok(ShowReply {
            thread: shown,
            review: review.map(|group| self.told_review(group, self.known_of(group), None)),
            lines: match entry {
                Some(entry) => self.lines_around(thread, entry, &show.head)?,
                None => Vec::new(),
            },
            head: looked.head,
        })
    }

    /// Tells how things are.
    pub fn status(&self, status: &Status) -> Result<StatusReply, Fault> {
        let head = HeadName::WorkTree;
        let seen = self.seen(&head)?;
        let threads: Vec<Thread<'_>> =
            self.book.threads.iter().filter(|thread| seen.threads.contains_key(&thread.id())).collect();
        let open = threads.iter().filter(|thread| thread.state() == ThreadState::Open);
        let looked = self.look(&head, status.freshness, open.copied())?;
        let counts = view::counts(threads.iter().copied(), Some(&looked.entries));
        let damage = self.book.damage.iter().chain(&seen.unknown).cloned().collect();
        // Read anew: a service that lives long does not see edits of the settings.
        let repo = self.seat.repository().reopen().or_fault()?;
        Ok(StatusReply {
            head: looked.head,
            review: self
                .current_review()
                .map(|group| self.told_review(group, self.known_of(group), Some(&looked.entries))),
            threads: counts,
            elsewhere: self.elsewhere(seen.threads.len()),
            drafts: u32::try_from(self.book.drafts.len()).unwrap_or(u32::MAX),
            drafts_elsewhere: self.drafts_elsewhere()?,
            notes: self.book.edition.notes.map(hex),
            resolving: looked.resolving,
            damage,
            sync_trouble: sync_trouble(&repo),
            warnings: self.warnings(&repo)?,
        })
    }

    /// What a person should know of the notes and of git's settings.
    fn warnings(&self, repo: &Repository) -> Result<Vec<String>, Fault> {
        let overwritten = self.desk.store.overwritten().or_fault()?.map(|what| {
            format!(
                "{}; `postil list`, as the next comment, brings back what it held",
                doctor::overwritten(what)
            )
        });
        Ok(overwritten.into_iter().chain(sharing::at_risk(repo)).collect())
    }

    /// A thread as it is now, with its position in the files on disk.
    pub fn thread_view(&self, thread: Thread<'_>, detail: Detail) -> Result<ThreadView, Fault> {
        let head = HeadName::WorkTree;
        let looked = self.look(&head, postil_protocol::Freshness::Wait, [thread].into_iter())?;
        let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
        let why: Option<Why> = self.seen(&head)?.threads.get(&thread.id()).copied();
        let mut shown = view::thread(&self.book, thread, entry, why, detail);
        self.tell_fates(std::slice::from_mut(&mut shown), &looked.entries, &head, detail)?;
        self.tell_signatures(&self.book, std::slice::from_mut(&mut shown));
        self.tell_passages(std::slice::from_mut(&mut shown), &looked.entries, &head)?;
        Ok(shown)
    }

    fn elsewhere(&self, seen: usize) -> u32 {
        u32::try_from(self.book.threads.iter().len().saturating_sub(seen)).unwrap_or(u32::MAX)
    }

    fn blob_in(&self, commit: CommitId, path: &RepoPath) -> Result<Option<BlobId>, Fault> {
        let entry = tree::entry_at(&self.seat.repository().handle(), self.seat.tree_of(commit)?, path);
        let entry = entry.or_fault()?.filter(|entry| entry.mode.is_blob_or_symlink());
        Ok(entry.map(|entry| BlobId::from(entry.id.raw())))
    }

    /// The lines where a comment is, with those around them; of an orphan, those of the first place to consider.
    fn lines_around(
        &self,
        thread: Thread<'_>,
        entry: &Entry,
        head: &HeadName,
    ) -> Result<Vec<(u32, ByteText)>, Fault> {
        let place = match (&entry.path, entry.candidates.first()) {
            (Some(path), _) => entry.range.map(|range| (path, range)),
            (None, Some(stood)) => Some((&stood.path, stood.range)),
            (None, None) => None,
        };
        let (Some((path, range)), Some(anchor)) = (place, thread.anchor()) else { return Ok(Vec::new()) };
        let handle = self.seat.repository().handle();
        let content = match &anchor.side {
            // Deleted lines are those of the base that the review has now, else of the one that they were seen in.
            Side::Old(old) => {
                let bases = match self.commit_of(head)? {
                    Some(commit) => Bases::find(&self.seat, &self.book, &self.branches, commit),
                    None => Bases::default(),
                };
                let base = Asked::of(thread, &bases).and_then(|asked| asked.base());
                match base.and_then(|base| self.blob_in(base, path).transpose()).transpose()? {
                    Some(blob) => Some(read_blob(&handle, blob)?),
                    None => read_blob(&handle, old.blob).ok(),
                }
            }
            Side::New => Contents::of(self, &handle, head)?.read(path)?,
        };
        let Some(content) = content else { return Ok(Vec::new()) };
        let first = range.span().first().saturating_sub(LINES_AROUND).max(1);
        let last = range.span().last().saturating_add(LINES_AROUND);
        let text = postil_core::edit::Text::new(content);
        let numbers = first..=last.min(text.len());
        Ok(numbers.map(|number| (number, ByteText::new(text.line(number - 1)))).collect())
    }
}

/// What went wrong in the background, where something still goes on there.
fn sync_trouble(repo: &Repository) -> Option<String> {
    let trouble = sharing::trouble(repo.common_dir())?;
    (sharing::Policy::of(repo) != sharing::Policy::Off).then_some(trouble)
}
