//! A thread on its way out.

use postil_protocol::{ByteText, ThreadView};

/// A thread, and the lines where it is now.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The thread, with all its comments.
    pub thread: ThreadView,
    /// The lines where it is, with those around them, each with its number; only `.comments` files need them.
    pub lines: Vec<(u32, ByteText)>,
}

impl Exported {
    /// The file where it is now; if it has no place, the one that it was in.
    pub fn path(&self) -> Option<&ByteText> {
        let now = self.thread.position.as_ref().and_then(|position| position.path.as_ref());
        now.or_else(|| self.thread.anchor.as_ref().map(|anchor| &anchor.path))
    }

    /// The lines where it is now.
    pub fn span(&self) -> Option<(u32, u32)> {
        let position = self.thread.position.as_ref().filter(|position| position.path.is_some())?;
        position.start.zip(position.end)
    }

    /// The words of its first comment.
    pub fn text(&self) -> &str {
        self.thread.comments.first().map_or("", |first| first.text.as_str())
    }
}
