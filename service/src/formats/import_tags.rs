//! Where a thread came from that was imported, as its tags say.

use postil_protocol::{CommentView, Hex, ThreadView};

/// The prefix of the tag with the rule of a tool that a comment is about.
pub const RULE: &str = "rule:";

/// The source of what was never imported.
pub const OWN: &str = "postil";

/// The source of a thread, and its name there.
pub fn origin(thread: &ThreadView) -> (String, String) {
    origin_in(&thread.tags, &thread.id)
}

/// The source of an answer, and its name there.
pub fn of_answer(answer: &CommentView) -> (String, String) {
    origin_in(&answer.tags, &answer.id)
}

fn origin_in(tags: &[String], own: &Hex) -> (String, String) {
    let after = |start: &str| tags.iter().find_map(|tag| tag.strip_prefix(start));
    let is_imported = tags.iter().any(|tag| tag == "imported");
    match (after("from:"), after("id:")) {
        (Some(source), Some(id)) if is_imported && !source.is_empty() && !id.is_empty() => {
            (source.to_owned(), id.to_owned())
        }
        _ => (OWN.to_owned(), own.as_str().to_owned()),
    }
}

/// The source of what the `.comments` file of this source file holds.
pub fn of_comments_file(about: &[u8]) -> String {
    format!("comments:{}", String::from_utf8_lossy(about))
}

/// The rule of a tool that a thread is about.
pub fn rule(thread: &ThreadView) -> Option<&str> {
    thread.tags.iter().find_map(|tag| tag.strip_prefix(RULE))
}

/// The tags that a person gave.
pub fn own_tags(thread: &ThreadView) -> impl Iterator<Item = &str> {
    let is_origin = |tag: &str| {
        tag == "imported" || ["from:", "id:", "after:", RULE].iter().any(|start| tag.starts_with(start))
    };
    thread.tags.iter().map(String::as_str).filter(move |tag| !is_origin(tag))
}
