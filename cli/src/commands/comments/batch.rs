//! `postil comment --batch`: many comments and replies at once.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use postil_compact::batch_text;
use postil_protocol::{BatchItem, BatchRefused, ByteText, CommentBatch, MAX_BATCH, RepositoryRequest};

use crate::commands::Context;
use crate::commands::input::paths;
use crate::failure::{Failure, FailureKind};
use crate::render::line;

/// So much is read; longer texts are refused by the service.
const MAX_BYTES: u64 = 8 << 20;

/// Writes the comments of a file of JSON lines.
pub fn write_batch(file: &Path, draft: bool, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let text = read(file, &context.at.directory)?;
    let (mut items, mut indices, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    for (index, line) in (0_u32..).zip(lines) {
        match serde_json::from_str::<BatchItem>(line) {
            Ok(item) => {
                // Paths are those of the current directory, as everywhere; one outside is refused by its index.
                let path = item.path.as_ref().map(|path| {
                    let inside = paths::inside(session.checkout(), OsStr::from_bytes(path.as_bytes()));
                    inside.map_or_else(|_| path.clone(), ByteText::new)
                });
                items.push(BatchItem { path, ..item });
                indices.push(index);
            }
            Err(error) => {
                let reason = format!("not a comment in JSON: {error}");
                refused.push(BatchRefused { index, code: "usage".into(), reason, nearest: None });
            }
        }
    }
    if indices.len() + refused.len() > MAX_BATCH {
        let what = format!("too many comments: {}; the limit is {MAX_BATCH}", indices.len() + refused.len());
        return Err(Failure::new(FailureKind::Usage, what).hint("write them in parts; nothing was written"));
    }
    let mut reply = session.write(CommentBatch { items, draft })?;
    let given = |index: u32| indices.get(index as usize).copied().unwrap_or(index);
    reply.done.iter_mut().for_each(|done| done.index = given(done.index));
    reply.refused.iter_mut().for_each(|one| one.index = given(one.index));
    reply.refused.append(&mut refused);
    reply.refused.sort_by_key(|one| one.index);
    if context.is_json() {
        screen.json::<RepositoryRequest<CommentBatch>>(&reply)?;
    } else {
        let naming = screen.naming.clone();
        screen.lines(&batch_text(&reply, &|path| naming.path(path)))?;
    }
    Failure::checked(!reply.refused.is_empty(), screen.close())
}

fn read(file: &Path, directory: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else {
        let opened = std::fs::File::open(directory.join(file));
        opened.and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    };
    let name = line(file.as_os_str().as_bytes());
    read.map_err(|error| {
        Failure::new(FailureKind::NotFound, format!("could not read {name}"))
            .because(error)
            .hint("check the file name, or use `-` for standard input")
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::new(FailureKind::Usage, format!("{name} is larger than {MAX_BYTES} bytes")));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(FailureKind::Usage, format!("{name} is not UTF-8; nothing was written")))
}
