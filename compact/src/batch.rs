//! What became of many comments, each by its index.

use std::fmt::Write as _;

use postil_protocol::{BatchDone, BatchRefused, ByteText, CommentBatchReply};
use postil_words::sanitize;

/// One line for each, in their order; `path` names a file.
pub fn batch_text(reply: &CommentBatchReply, path: &dyn Fn(&ByteText) -> String) -> String {
    let done = reply.done.iter().map(|done| (done.index, done_line(done, path)));
    let refused = reply.refused.iter().map(|one| (one.index, refused_line(one, path)));
    let mut lines: Vec<(u32, String)> = done.chain(refused).collect();
    lines.sort_by_key(|(index, _)| *index);
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

fn done_line(done: &BatchDone, path: &dyn Fn(&ByteText) -> String) -> String {
    let mut told = format!("{}: {}", done.index, done.id);
    if let Some(file) = &done.path {
        told.push(' ');
        told.push_str(&path(file));
        if let Some(lines) = &done.lines {
            told.push(':');
            sanitize::push_line(&mut told, lines.as_bytes());
        }
    }
    if let Some(given) = &done.instead_of {
        told.push_str("  (instead of ");
        sanitize::push_line(&mut told, given.as_bytes());
        told.push(')');
    }
    if done.known {
        told.push_str(if done.changed { "  (new words)" } else { "  (there already)" });
    }
    if done.draft {
        told.push_str("  draft");
    }
    told
}

fn refused_line(one: &BatchRefused, path: &dyn Fn(&ByteText) -> String) -> String {
    let mut told = format!("{}: refused: {}", one.index, sanitize::line(one.reason.as_bytes()));
    if let Some(near) = &one.nearest {
        let _ = write!(told, "; nearest: {}", path(&near.path));
        if let Some(number) = near.line {
            let _ = write!(told, ":{number}");
        }
        if let Some(code) = &near.code {
            let _ = write!(told, ": {}", sanitize::line(code.as_bytes()).trim());
        }
    }
    told
}
