//! Every address of the page: what can be read and written below the prefix.
//!
//! The router answers what has a row here and nothing else, and the matrix of hostile requests tries every row. So an address
//! that is added is tried without anybody thinking of it.

/// What can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadRoute {
    /// A page with a diff.
    Page,
    /// All reviews.
    Reviews,
    /// How threads drift.
    Drift,
    /// A style or a script.
    Asset,
    /// What happens, as a stream.
    Events,
    /// The same, once.
    News,
    /// What was typed and not sent yet.
    Typed,
    /// What applying suggestions would do.
    Plan,
    /// What happened in a thread.
    Timeline,
    /// The text of a comment, as it was written.
    Source,
    /// One side of an image of a diff.
    Image,
    /// Which files a diff has.
    Outline,
    /// Head, tree, and the threads that are at no line.
    Parts,
    /// Files of a diff.
    Files,
    /// Lines of a file that were left out.
    Lines,
    /// Threads, by their ids.
    Threads,
    /// Lines to edit.
    Text,
    /// A Markdown file as it reads.
    Prose,
    /// The words at a place of it.
    Words,
    /// Threads as Markdown.
    Copy,
    /// The message of the commit that is shown, with its threads.
    Message,
    /// Places that a thread may belong to.
    Nearby,
    /// Where the lines are now that somebody writes about.
    Where,
}

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteRoute {
    /// What was typed so far.
    Typed,
    /// Light or dark.
    Theme,
    /// Unified or split.
    Layout,
    /// Which files were viewed.
    Viewed,
    /// Which version of a review was looked at.
    Looked,
    /// What was typed, as it will look; nothing is written.
    Preview,
    /// A comment.
    Comment,
    /// A reply.
    Reply,
    /// Another text of a comment.
    Edit,
    /// A thread is done.
    Resolve,
    /// It is not.
    Reopen,
    /// A comment is taken back.
    Withdraw,
    /// A thread belongs elsewhere.
    Move,
    /// What is said to a proposal.
    Answer,
    /// Suggestions, into files.
    Apply,
    /// The files as they were before that.
    Undo,
    /// Drafts.
    Publish,
    /// A verdict.
    Verdict,
}

/// Everything that is read, each by an example: what is behind the first slash may be anything.
pub(crate) const READ: [(&str, ReadRoute); 25] = [
    ("changes", ReadRoute::Page),
    ("review/3f9c1a", ReadRoute::Page),
    ("compare/main/topic", ReadRoute::Page),
    ("reviews", ReadRoute::Reviews),
    ("drift", ReadRoute::Drift),
    ("assets/page.js", ReadRoute::Asset),
    ("events", ReadRoute::Events),
    ("news", ReadRoute::News),
    ("typed", ReadRoute::Typed),
    ("plan", ReadRoute::Plan),
    ("timeline", ReadRoute::Timeline),
    ("source", ReadRoute::Source),
    ("image/changes", ReadRoute::Image),
    ("outline/changes", ReadRoute::Outline),
    ("parts/changes", ReadRoute::Parts),
    ("files/changes", ReadRoute::Files),
    ("lines/changes", ReadRoute::Lines),
    ("threads/changes", ReadRoute::Threads),
    ("text/changes", ReadRoute::Text),
    ("prose/changes", ReadRoute::Prose),
    ("words/changes", ReadRoute::Words),
    ("copy/changes", ReadRoute::Copy),
    ("message/changes", ReadRoute::Message),
    ("nearby/changes", ReadRoute::Nearby),
    ("where", ReadRoute::Where),
];

/// Everything that is written; only behind `preview` anything may follow.
pub(crate) const WRITTEN: [(&str, WriteRoute); 18] = [
    ("typed", WriteRoute::Typed),
    ("theme", WriteRoute::Theme),
    ("layout", WriteRoute::Layout),
    ("viewed", WriteRoute::Viewed),
    ("looked", WriteRoute::Looked),
    ("preview/changes", WriteRoute::Preview),
    ("do/comment", WriteRoute::Comment),
    ("do/reply", WriteRoute::Reply),
    ("do/edit", WriteRoute::Edit),
    ("do/resolve", WriteRoute::Resolve),
    ("do/reopen", WriteRoute::Reopen),
    ("do/withdraw", WriteRoute::Withdraw),
    ("do/move", WriteRoute::Move),
    ("do/answer", WriteRoute::Answer),
    ("do/apply", WriteRoute::Apply),
    ("do/undo", WriteRoute::Undo),
    ("do/publish", WriteRoute::Publish),
    ("do/verdict", WriteRoute::Verdict),
];

impl ReadRoute {
    /// The route of a path below the prefix, and what is behind its first slash.
    pub(crate) fn of(path: &str) -> Option<(Self, &str)> {
        let path = if path.is_empty() { "changes" } else { path };
        let (word, rest) = parts(path);
        let (_, route) = READ.into_iter().find(|(example, _)| {
            let (known, behind) = parts(example);
            known == word && behind.is_some() == rest.is_some()
        })?;
        Some((route, if route == Self::Page { path } else { rest.unwrap_or_default() }))
    }
}

impl WriteRoute {
    /// The route of a path below the prefix, and what is behind its first slash.
    pub(crate) fn of(path: &str) -> Option<(Self, &str)> {
        let (word, rest) = parts(path);
        let is_there = |(example, route): &(&str, Self)| match route {
            Self::Preview => parts(example).0 == word && rest.is_some(),
            _ => *example == path,
        };
        let (_, route) = WRITTEN.into_iter().find(is_there)?;
        Some((route, rest.unwrap_or_default()))
    }
}

fn parts(path: &str) -> (&str, Option<&str>) {
    path.split_once('/').map_or((path, None), |(word, rest)| (word, Some(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_example_and_nothing_else_is() {
        for (example, route) in READ {
            assert_eq!(ReadRoute::of(example).map(|found| found.0), Some(route), "{example}");
        }
        for (example, route) in WRITTEN {
            assert_eq!(WriteRoute::of(example).map(|found| found.0), Some(route), "{example}");
        }
        assert_eq!(ReadRoute::of(""), Some((ReadRoute::Page, "changes")));
        assert_eq!(ReadRoute::of("files/review/aa"), Some((ReadRoute::Files, "review/aa")));
        assert_eq!(ReadRoute::of("review/aa"), Some((ReadRoute::Page, "review/aa")));
        for path in ["review", "files", "events/x", "do/comment", "x", "/changes", "assets"] {
            assert_eq!(ReadRoute::of(path), None, "{path}");
        }
        for path in ["do", "do/", "do/comment/x", "do/import", "preview", "changes", "typed/x"] {
            assert_eq!(WriteRoute::of(path), None, "{path}");
        }
    }
}
