//! Somebody who follows a repository by what they are told.

use std::collections::BTreeMap;

use postil_protocol::{
    Changes, ChangesReply, Detail, HeadName, Hex, List, ListReply, Mark, PlacedAs, ThreadView, Topic,
};

use crate::asker::Asker;

/// Somebody who listed threads once, and has been told of changes since.
#[derive(Clone, Debug)]
pub struct Knowing {
    pub head: HeadName,
    pub threads: BTreeMap<Hex, ThreadView>,
    pub mark: Mark,
}

/// What short name a thread has depends on others, and is not told with them.
fn plain(mut thread: ThreadView) -> ThreadView {
    thread.short.clear();
    for comment in &mut thread.comments {
        comment.short.clear();
    }
    thread
}

impl Knowing {
    pub fn list(asker: &Asker<'_>, head: &HeadName) -> Self {
        let list = List { detail: Detail::Full, head: head.clone(), ..List::default() };
        let ListReply { threads, mark, .. } = asker.ask(list);
        let threads = threads.into_iter().map(|thread| (thread.id.clone(), plain(thread))).collect();
        Self { head: head.clone(), threads, mark }
    }

    pub fn ask(&self, asker: &Asker<'_>) -> ChangesReply {
        let (since, head) = (Some(self.mark.clone()), self.head.clone());
        asker.ask(Changes { since, head, topic: Topic::Repository })
    }

    pub fn apply(&mut self, reply: ChangesReply) {
        for id in &reply.gone {
            self.threads.remove(id);
        }
        for thread in reply.threads {
            self.threads.insert(thread.id.clone(), plain(thread));
        }
        for placed in reply.placed {
            match (placed.what, placed.view) {
                (PlacedAs::Left, _) => _ = self.threads.remove(&placed.thread),
                (_, Some(view)) => _ = self.threads.insert(placed.thread, plain(*view)),
                (_, None) => {
                    let known = self.threads.get_mut(&placed.thread).expect("a thread that was listed");
                    known.position = placed.to;
                    known.seen = placed.seen.expect("a thread that is not left is seen");
                }
            }
        }
        self.mark = reply.mark;
    }
}
