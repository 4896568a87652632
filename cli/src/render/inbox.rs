//! What waits for a person, repository by repository.

use std::collections::BTreeMap;
use std::path::Path;

use postil_protocol::{
    ChangeKind, Hex, InboxReply, InboxReview, InboxThread, NewsView, ReviewStatus, SeverityView, Verdict,
};

use super::colour::Ink;
use super::screen::Screen;
use super::thread::short;
use super::{person, position_words, review, when};
use crate::failure::Failure;
use crate::sanitize;

/// A file's name gets this part of the terminal at most, but so many columns at least.
const PATH_SHARE: usize = 4;
const PATH_COLUMNS: usize = 16;

/// Less of the words is not worth a look.
const TEXT_COLUMNS: usize = 4;

impl Screen {
    /// What waits in one repository, below its name; `also` has the names of other clones that have a review.
    pub fn inbox(
        &mut self,
        reply: &InboxReply,
        name: &str,
        also: &BTreeMap<Hex, Vec<String>>,
        now: u64,
    ) -> Result<(), Failure> {
        self.line(self.ink(Ink::Strong, name))?;
        for one in &reply.reviews {
            let others = one.review.as_ref().and_then(|review| also.get(&review.id));
            self.inbox_review(one, others.map(Vec::as_slice).unwrap_or_default(), now)?;
        }
        if reply.more > 0 {
            let more = position_words::count(reply.more, "more thread", "more threads");
            self.line(self.ink(Ink::Faint, format!("  {more} (`postil list --unread` lists all)")))?;
        }
        Ok(())
    }

    fn inbox_review(&mut self, one: &InboxReview, also: &[String], now: u64) -> Result<(), Failure> {
        match &one.review {
            Some(name) => {
                let title = sanitize::line(name.title.as_bytes());
                let branch = review::branch(name.branch.as_bytes());
                let ended = match name.status {
                    ReviewStatus::Open => "",
                    ReviewStatus::Merged => "  (merged)",
                    ReviewStatus::Closed => "  (closed)",
                };
                let used = 2 + name.short.len() + 2 + sanitize::width(&branch) + 2 + ended.len();
                let title = sanitize::fit(&title, self.room_behind(used));
                let (id, branch) = (self.ink(Ink::Id, &name.short), self.ink(Ink::Place, branch));
                self.line(format!("  {id}  {branch}  {title}{ended}"))?;
            }
            None => self.line("  threads without a review")?,
        }
        if !also.is_empty() {
            self.line(self.ink(Ink::Faint, format!("    also in {}", also.join(", "))))?;
        }
        if let Some(asked) = &one.asked {
            let by = person::name(&asked.author);
            let told = format!("{by} asked you to review, {}", ago(asked.at, now));
            self.line(format!("    {}", self.ink(Ink::Bad, told)))?;
        }
        for verdict in &one.verdicts {
            let (ink, word) = match verdict.verdict {
                Verdict::Approve => (Ink::Good, "approved"),
                Verdict::Changes => (Ink::Bad, "requested changes"),
                Verdict::Comment => (Ink::Faint, "commented"),
            };
            let by = person::name(&verdict.author);
            let text = verdict.text.lines().next().unwrap_or_default();
            let text = sanitize::line(text.as_bytes());
            let told = format!("{by} {word}, {}", ago(verdict.at, now));
            let colon = if text.is_empty() { "" } else { ": " };
            let text = sanitize::fit(&text, self.room_behind(4 + sanitize::width(&told) + colon.len()));
            self.line(format!("    {}{colon}{text}", self.ink(ink, told)))?;
        }
        let path = |thread: &InboxThread| {
            let path = thread.path.as_ref().map(|path| self.naming.path(path));
            let room = self.width().map_or(usize::MAX, |width| (width / PATH_SHARE).max(PATH_COLUMNS));
            let message = thread.message.as_ref().map(|commit| format!("message {}", short(commit.as_str())));
            sanitize::fit_end(path.or(message).as_deref().unwrap_or("the review"), room)
        };
        let paths: Vec<String> = one.threads.iter().map(path).collect();
        let ids = one.threads.iter().map(|thread| thread.short.len()).max().unwrap_or(0);
        let files = paths.iter().map(|path| sanitize::width(path)).max().unwrap_or(0);
        for (thread, path) in one.threads.iter().zip(&paths) {
            self.inbox_thread(thread, &sanitize::pad(path, files), ids, now)?;
        }
        Ok(())
    }

    fn inbox_thread(
        &mut self,
        thread: &InboxThread,
        path: &str,
        ids: usize,
        now: u64,
    ) -> Result<(), Failure> {
        let Some(last) = thread.news.last() else { return Ok(()) };
        let id = sanitize::pad(&thread.short, ids);
        let severity = match &thread.severity {
            Some(SeverityView::Blocker) => "blocker  ",
            _ => "",
        };
        let count = match thread.news.len() {
            1 => String::new(),
            count => format!(" (+{})", count - 1),
        };
        let told = format!("{} {}, {}{count}", person::name(&last.author), word(last), ago(last.at, now));
        let text = last.text.as_deref().unwrap_or(&thread.text);
        let text = sanitize::line(text.as_bytes());
        let used = 4 + ids + 2 + sanitize::width(path) + 2 + severity.len() + sanitize::width(&told) + 2;
        let room = self.room_behind(used);
        let text = if room < TEXT_COLUMNS { String::new() } else { sanitize::fit(&text, room) };
        let colon = if text.is_empty() { "" } else { ": " };
        let (id, path) = (self.ink(Ink::Id, id), self.ink(Ink::Place, path));
        let (severity, told) = (self.ink(Ink::Bad, severity), self.ink(Ink::Person, told));
        self.line(format!("    {id}  {path}  {severity}{told}{colon}{text}"))
    }

    /// The sum of all.
    pub fn inbox_counts(&mut self, replies: &[InboxReply]) -> Result<(), Failure> {
        let reviews = || replies.iter().flat_map(|reply| &reply.reviews);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let to_judge = number(reviews().filter(|review| review.asked.is_some()).count());
        let threads = reviews().map(|review| review.threads.len()).sum::<usize>();
        let more: u32 = replies.iter().map(|reply| reply.more).sum();
        let verdicts = number(reviews().map(|review| review.verdicts.len()).sum());
        let told = [
            (to_judge, "review to judge", "reviews to judge"),
            (verdicts, "new verdict", "new verdicts"),
            (number(threads).saturating_add(more), "thread with news", "threads with news"),
        ];
        let told = told.into_iter().filter(|(count, ..)| *count > 0);
        let told: Vec<String> =
            told.map(|(count, one, many)| position_words::count(count, one, many)).collect();
        self.line("")?;
        self.line(self.ink(Ink::Strong, told.join(", ")))
    }

    fn room_behind(&self, used: usize) -> usize {
        self.width().map_or(usize::MAX, |width| width.saturating_sub(used))
    }
}

/// How a repository is called: the folder of its working tree, from the home directory if it is in there.
pub fn repository_name(common_dir: &Path, home: Option<&Path>) -> String {
    let folder = match (common_dir.file_name(), common_dir.parent()) {
        (Some(name), Some(folder)) if name == ".git" => folder,
        _ => common_dir,
    };
    let inside = home.filter(|home| home.is_absolute()).and_then(|home| folder.strip_prefix(home).ok());
    let shown = match inside {
        Some(inside) => Path::new("~").join(inside),
        None => folder.to_owned(),
    };
    sanitize::line(shown.as_os_str().as_encoded_bytes())
}

fn ago(at: u64, now: u64) -> String {
    match when::age(at, now).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    }
}

/// What somebody did.
fn word(news: &NewsView) -> &'static str {
    match news.what {
        ChangeKind::Replied => "replied",
        ChangeKind::Suggested => "suggested a change",
        ChangeKind::Edited => "edited a comment",
        ChangeKind::Proposed => "made a proposal",
        ChangeKind::Declined => "declined a proposal",
        ChangeKind::Resolved => "resolved it",
        ChangeKind::Retired => "imported a report without it",
        ChangeKind::Reopened => "reopened it",
        ChangeKind::Withdrawn => "withdrew a comment",
        ChangeKind::Moved => "moved it",
        _ => "commented",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_called_by_its_folder() {
        let home = Some(Path::new("/home/ann"));
        let name = |dir: &str| repository_name(Path::new(dir), home);
        assert_eq!(name("/home/ann/code/parser/.git"), "~/code/parser");
        assert_eq!(name("/srv/parser.git"), "/srv/parser.git");
        assert_eq!(name("/home/anna/x/.git"), "/home/anna/x");
        assert_eq!(name("/srv/a\u{1b}[2J/.git"), "/srv/a^[[2J");
    }
}
