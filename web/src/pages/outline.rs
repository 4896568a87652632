//! Which files a page shows and what each holds, for a page that is open to see what it must fetch anew.

use postil_protocol::DiffReply;
use serde_json::{Value, json};

use super::file_key::{digest, key, known_path, shown};

/// The files of a diff, in order, each with its name and its digest.
pub(crate) fn outline(diff: &DiffReply) -> Value {
    let files = diff.files.iter().map(|file| {
        let path = known_path(file);
        json!({ "key": key(path), "path": shown(path), "digest": digest(file) })
    });
    json!({ "mark": diff.mark.to_string(), "files": files.collect::<Vec<_>>() })
}
