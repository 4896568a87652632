//! Who wants to hear of a repository, and what they were told last.
//!
//! A subscriber hears differences: each view keeps the threads as its subscribers know them, and a newer list becomes
//! the events that lead from one to the other. Lists come from the service; nothing here asks for them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use postil_protocol::{
    ByteText, Changed, Counts, Ended, Event, Fated, Happened, Hex, Moved, PositionView, RepositoryName,
    Resolved, Resolving, ReviewView, SuggestionState, ThreadView, Topic,
};

use crate::happened::{self, Noted};
use crate::outbox::Outbox;

/// One subscription of one client.
#[derive(Debug)]
pub(crate) struct Subscriber {
    /// The number that its events have.
    pub(crate) number: u64,
    /// Which part it is interested in.
    pub(crate) topic: Topic,
    /// Where its events go.
    pub(crate) outbox: Outbox,
}

/// What positions are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sort {
    /// The commit that is checked out.
    Head,
    /// The files on disk.
    WorkTree,
}

/// From where a repository is looked at: a work tree, and whether its files on disk count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Viewpoint {
    /// As the client names it, which is how it is told.
    pub(crate) name: RepositoryName,
    /// Its git directory as a survey names it, found once: whoever tells of it waits for no disk.
    pub(crate) git_dir: PathBuf,
    /// What positions are for.
    pub(crate) sort: Sort,
}

/// The threads and reviews of a repository, as one viewpoint has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    threads: BTreeMap<Hex, SeenThread>,
    reviews: BTreeMap<Hex, ReviewView>,
    notes: Option<Hex>,
    head: Option<Hex>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SeenThread {
    position: Option<PositionView>,
    /// The file in which it was before it was in none: it may come back.
    last: Option<ByteText>,
    /// What has become of its newest suggestion.
    fate: Option<SuggestionState>,
    /// The files that decide that.
    depends_on: Vec<ByteText>,
    review: Option<Hex>,
    /// The thread without its place and its suggestion's fate: what people said and did.
    said: ThreadView,
}

impl SeenThread {
    fn files(&self) -> impl Iterator<Item = &ByteText> {
        self.path().into_iter().chain(&self.depends_on)
    }

    fn path(&self) -> Option<&ByteText> {
        self.position.as_ref()?.path.as_ref()
    }

    /// Those, and where it would be again.
    fn watched(&self) -> impl Iterator<Item = &ByteText> {
        let was = [self.last.as_ref(), self.said.anchor.as_ref().map(|anchor| &anchor.path)];
        let was = if self.path().is_none() { was } else { [None, None] };
        self.files().chain(was.into_iter().flatten())
    }
}

/// All subscribers of one repository.
#[derive(Debug, Default)]
pub(crate) struct Audience {
    views: BTreeMap<Viewpoint, View>,
}

#[derive(Debug, Default)]
struct View {
    seen: Seen,
    /// Somebody came to it since it was last compared with what is there.
    is_new: bool,
    subscribers: Vec<Subscriber>,
}

impl Seen {
    /// Takes a list apart.
    pub(crate) fn new(
        threads: Vec<ThreadView>,
        reviews: Vec<ReviewView>,
        notes: Option<Hex>,
        head: Option<Hex>,
    ) -> Self {
        let threads = threads.into_iter().map(|mut said| {
            let (position, review) = (said.position.take(), said.review.clone());
            let (fate, depends_on) = (said.suggestion.take(), std::mem::take(&mut said.depends_on));
            // The shortest name of a thread changes with other threads, and why it is shown with the head.
            said.short.clear();
            said.seen.clear();
            for comment in &mut said.comments {
                comment.short.clear();
                comment.suggestion = None;
            }
            (said.id.clone(), SeenThread { position, last: None, fate, depends_on, review, said })
        });
        let reviews = reviews.into_iter().map(|mut review| {
            // Where its branch is, and how many of its threads stand where, changes with heads.
            review.short.clear();
            review.tip = None;
            review.merged = None;
            review.threads = Counts::default();
            (review.id.clone(), review)
        });
        Self { threads: threads.collect(), reviews: reviews.collect(), notes, head }
    }

    /// The files in which threads are or were last, or on which their suggestions depend, for whoever watches them.
    pub(crate) fn files(&self) -> BTreeSet<&ByteText> {
        self.threads.values().flat_map(SeenThread::watched).collect()
    }

    /// Keeps in mind where threads were that are in no file now.
    fn after(mut self, before: &Self) -> Self {
        for (id, thread) in &mut self.threads {
            if let Some(old) = before.threads.get(id).filter(|_| thread.path().is_none()) {
                thread.last = old.path().or(old.last.as_ref()).cloned();
            }
        }
        self
    }
}

impl Audience {
    /// Adds a subscriber who knows the threads as `seen` has them; others at the same viewpoint keep what they know.
    pub(crate) fn add(&mut self, viewpoint: Viewpoint, seen: Seen, subscriber: Subscriber) {
        let new = || View { seen, is_new: true, subscribers: Vec::new() };
        self.views.entry(viewpoint).or_insert_with(new).subscribers.push(subscriber);
    }

    /// Removes the subscribers with these numbers.
    pub(crate) fn remove(&mut self, numbers: &BTreeSet<u64>) {
        for view in self.views.values_mut() {
            view.subscribers.retain(|subscriber| !numbers.contains(&subscriber.number));
        }
        self.views.retain(|_, view| !view.subscribers.is_empty());
    }

    /// Tells everybody that there is nothing more to tell: the repository is gone.
    pub(crate) fn end(&mut self) {
        for (viewpoint, view) in std::mem::take(&mut self.views) {
            for subscriber in view.subscribers {
                let (subscription, git_dir) = (subscriber.number, viewpoint.name.git_dir.clone());
                subscriber.outbox.event(&Event::Ended(Ended { subscription, git_dir }));
            }
        }
    }

    /// From where it is looked at.
    pub(crate) fn viewpoints(&self) -> Vec<Viewpoint> {
        self.views.keys().cloned().collect()
    }

    /// The viewpoints that nobody asked for here before, each once, with the notes and the head that they know.
    ///
    /// Between reading those and subscribing, something may have moved that was told to all who subscribed before.
    pub(crate) fn newcomers(&mut self) -> Vec<(Viewpoint, Option<Hex>, Option<Hex>)> {
        let new = self.views.iter_mut().filter(|(_, view)| view.is_new);
        new.map(|(from, view)| {
            view.is_new = false;
            (from.clone(), view.seen.notes.clone(), view.seen.head.clone())
        })
        .collect()
    }

    /// How many subscribers there are.
    pub(crate) fn len(&self) -> usize {
        self.views.values().map(|view| view.subscribers.len()).sum()
    }

    /// The files on disk that somebody wants to hear of, with the viewpoint they are seen from.
    pub(crate) fn files(&self) -> Vec<(RepositoryName, ByteText)> {
        let live = self.views.iter().filter(|(from, _)| from.sort == Sort::WorkTree);
        live.flat_map(|(from, view)| {
            view.seen.files().into_iter().map(|file| (from.name.clone(), file.clone()))
        })
        .collect()
    }

    /// Tells everybody at this viewpoint that positions are being computed.
    pub(crate) fn resolving(&self, viewpoint: &Viewpoint, to: Option<&Hex>) {
        let Some(view) = self.views.get(viewpoint) else { return };
        for subscriber in &view.subscribers {
            subscriber.outbox.event(&Event::Resolving(Resolving {
                subscription: subscriber.number,
                git_dir: viewpoint.name.git_dir.clone(),
                from: view.seen.head.clone(),
                to: to.cloned(),
            }));
        }
    }

    /// Tells everybody at this viewpoint what is different in `now`, which they know from then on.
    ///
    /// `resolved` is told where positions were announced, even if none is different, or where a thread is elsewhere or
    /// its suggestion fares otherwise; `changed` only where somebody said or did something.
    pub(crate) fn update(&mut self, viewpoint: &Viewpoint, now: Seen, announced: Announced) {
        let Some(view) = self.views.get_mut(viewpoint) else { return };
        let now = now.after(&view.seen);
        let before = std::mem::replace(&mut view.seen, now);
        let now = &view.seen;
        let git_dir = &viewpoint.name.git_dir;
        let moves = Moves::between(&before, now, announced);
        let fates = Fates::between(&before, now);
        let said = Said::between(&before, now);
        for subscriber in &view.subscribers {
            let subscription = subscriber.number;
            let (threads, reviews) = said.for_topic(&subscriber.topic);
            if !threads.is_empty() || !reviews.is_empty() {
                let (git_dir, notes) = (git_dir.clone(), now.notes.clone());
                let happened = happened(&before, now, &threads, &reviews);
                let changed = Changed { subscription, git_dir, notes, threads, reviews, happened };
                subscriber.outbox.event(&Event::Changed(changed));
            }
            let moved = moves.for_topic(&subscriber.topic);
            let fates = fates.for_topic(&subscriber.topic);
            if announced == Announced::Yes || !moved.is_empty() || !fates.is_empty() {
                let (git_dir, head) = (git_dir.clone(), now.head.clone());
                let resolved = Resolved { subscription, git_dir, head, moved, fates };
                subscriber.outbox.event(&Event::Resolved(resolved));
            }
        }
    }
}

/// Whether `resolving` was sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announced {
    /// It was, so that `resolved` is owed.
    Yes,
    /// Nobody waits.
    No,
}

/// The threads whose places differ, with their reviews.
struct Moves(Vec<(Option<Hex>, Moved)>);

impl Moves {
    /// What came or went while no head moved was said or taken away, and is told as that.
    fn between(before: &Seen, now: &Seen, announced: Announced) -> Self {
        let ids: BTreeSet<&Hex> = before.threads.keys().chain(now.threads.keys()).collect();
        let moved = ids.into_iter().filter_map(|id| {
            let (old, new) = (before.threads.get(id), now.threads.get(id));
            if announced == Announced::No && (old.is_none() || new.is_none()) {
                return None;
            }
            let place = |thread: Option<&SeenThread>| thread.and_then(|thread| thread.position.clone());
            let (from, to) = (place(old), place(new));
            let review = new.or(old).and_then(|thread| thread.review.clone());
            (from != to).then(|| (review, Moved { thread: id.clone(), from, to }))
        });
        Self(moved.collect())
    }

    fn for_topic(&self, topic: &Topic) -> Vec<Moved> {
        let in_file = |place: Option<&PositionView>, file: &ByteText| {
            place.is_some_and(|place| place.path.as_ref() == Some(file))
        };
        let wanted = |(review, moved): &&(Option<Hex>, Moved)| match topic {
            Topic::Repository => true,
            Topic::Review(name) => review.as_ref().is_some_and(|id| id.as_str().starts_with(name.as_str())),
            Topic::File(file) => in_file(moved.from.as_ref(), file) || in_file(moved.to.as_ref(), file),
        };
        self.0.iter().filter(wanted).map(|(_, moved)| moved.clone()).collect()
    }
}

/// What happened to these threads and reviews, in their order.
fn happened(before: &Seen, now: &Seen, threads: &[Hex], reviews: &[Hex]) -> Vec<Happened> {
    let noted = if before.notes == now.notes { Noted::No } else { Noted::Yes };
    let said = |seen: &'_ Seen, id: &Hex| seen.threads.get(id).map(|thread| thread.said.clone());
    let to_thread = |id: &Hex| happened::to_thread(said(before, id).as_ref(), said(now, id).as_ref(), noted);
    let to_review = |id: &Hex| match now.reviews.get(id) {
        Some(review) => happened::to_review(before.reviews.get(id), review),
        None => Vec::new(),
    };
    threads.iter().flat_map(to_thread).chain(reviews.iter().flat_map(to_review)).collect()
}

/// The threads whose suggestions fare otherwise, as they are now or were last seen.
struct Fates<'a>(Vec<(&'a SeenThread, Fated)>);

impl<'a> Fates<'a> {
    fn between(before: &'a Seen, now: &'a Seen) -> Self {
        let ids: BTreeSet<&Hex> = before.threads.keys().chain(now.threads.keys()).collect();
        let changed = ids.into_iter().filter_map(|id| {
            let (old, new) = (before.threads.get(id), now.threads.get(id));
            let fate = |thread: Option<&SeenThread>| thread.and_then(|thread| thread.fate);
            let (from, to) = (fate(old), fate(new));
            (from != to).then_some((new.or(old)?, Fated { thread: id.clone(), from, to }))
        });
        Self(changed.collect())
    }

    fn for_topic(&self, topic: &Topic) -> Vec<Fated> {
        let wanted = |(thread, _): &&(&SeenThread, Fated)| match topic {
            Topic::Repository => true,
            Topic::Review(name) => {
                thread.review.as_ref().is_some_and(|id| id.as_str().starts_with(name.as_str()))
            }
            Topic::File(file) => thread.files().any(|path| path == file),
        };
        self.0.iter().filter(wanted).map(|(_, fated)| fated.clone()).collect()
    }
}

/// The threads and reviews of which something was said or done.
struct Said<'a> {
    threads: Vec<&'a SeenThread>,
    reviews: BTreeSet<&'a Hex>,
}

impl<'a> Said<'a> {
    fn between(before: &'a Seen, now: &'a Seen) -> Self {
        let same =
            |id: &Hex, new: &SeenThread| before.threads.get(id).is_some_and(|old| old.said == new.said);
        let new = now.threads.iter().filter(|(id, new)| !same(id, new)).map(|(_, new)| new);
        let gone = before.threads.iter().filter(|(id, _)| !now.threads.contains_key(*id)).map(|(_, old)| old);
        let reviews =
            now.reviews.iter().filter(|(id, new)| before.reviews.get(*id) != Some(new)).map(|(id, _)| id);
        Self { threads: new.chain(gone).collect(), reviews: reviews.collect() }
    }

    fn for_topic(&self, topic: &Topic) -> (Vec<Hex>, Vec<Hex>) {
        let wanted = |thread: &&&SeenThread| match topic {
            Topic::Repository => true,
            Topic::Review(name) => {
                thread.review.as_ref().is_some_and(|id| id.as_str().starts_with(name.as_str()))
            }
            Topic::File(file) => {
                thread.position.as_ref().is_some_and(|place| place.path.as_ref() == Some(file))
            }
        };
        let reviews = self.reviews.iter().filter(|id| match topic {
            Topic::Repository => true,
            Topic::Review(name) => id.as_str().starts_with(name.as_str()),
            Topic::File(_) => false,
        });
        let threads = self.threads.iter().filter(wanted).map(|thread| thread.said.id.clone());
        (threads.collect(), reviews.map(|id| (*id).clone()).collect())
    }
}
