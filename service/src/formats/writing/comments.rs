//! `.comments` files of version 2.0, one for each source file: comments, and markers that know the text of their lines.

use std::collections::BTreeMap;

use gix::hash::Kind;
use postil_protocol::{AnchorView, ByteText, CommentView, Hex, ThreadStatus};
use serde_json::{Value, json};

use super::super::{import_tags, path, person, rfc3339};
use super::Exported;

/// One file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentsFile {
    /// The source file that it is about.
    pub about: Vec<u8>,
    /// What it holds.
    pub content: String,
}

/// The lines that a marker knows.
#[derive(Default, PartialEq, Eq)]
struct MarkerFingerprint {
    line: Vec<u8>,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// A line that comments are on; there is one for each line, whatever many threads say about it.
struct Marker {
    id: String,
    line: u32,
    told: MarkerFingerprint,
    comments: Vec<String>,
    verified: u64,
}

impl Marker {
    /// Adds comments to the marker of their line, and returns its id.
    fn mark(markers: &mut Vec<Self>, exported: &Exported, line: u32, comments: Vec<String>) -> String {
        let (told, verified) = (fingerprint(exported, line), exported.thread.updated);
        // An orphaned comment may name a line number that is now another line.
        let same = markers.iter_mut().find(|marker| marker.line == line && marker.told == told);
        if let Some(marker) = same {
            marker.comments.extend(comments);
            marker.verified = marker.verified.max(verified);
            return marker.id.clone();
        }
        let id = format!("gm-{}", exported.thread.short);
        markers.push(Self { id: id.clone(), line, told, comments, verified });
        id
    }

    fn written(&self) -> Value {
        json!({
            "id": self.id,
            "line": self.line,
            "commentIds": self.comments,
            "lineHash": hash(&self.told.line),
            "lineText": trimmed(&self.told.line),
            "prevLineText": trimmed(&self.told.before),
            "nextLineText": trimmed(&self.told.after),
            "lastVerified": rfc3339::write(self.verified),
        })
    }
}

/// Writes one file for each source file that threads are about; threads about no file, or one that git would not
/// track, are left out.
pub fn write_comments(threads: &[Exported]) -> Vec<CommentsFile> {
    let mut by_file: BTreeMap<&[u8], Vec<&Exported>> = BTreeMap::new();
    for exported in threads {
        if let Some(about) = exported.path().map(ByteText::as_bytes).filter(|about| path::is_trackable(about))
        {
            by_file.entry(about).or_default().push(exported);
        }
    }
    let files = by_file
        .into_iter()
        .map(|(about, threads)| CommentsFile { about: about.to_owned(), content: file(about, &threads) });
    files.collect()
}

fn file(about: &[u8], threads: &[&Exported]) -> String {
    let (mut markers, mut comments) = (Vec::new(), Vec::new());
    let own_source = import_tags::of_comments_file(about);
    for exported in threads {
        let thread = &exported.thread;
        // A name that another source gave means nothing here, and would be taken for another comment when it comes back.
        let named = |(source, name): (String, String), own: &Hex| {
            if source == own_source { name } else { own.as_str().to_owned() }
        };
        let id = named(import_tags::origin(thread), &thread.id);
        let names = |comment: &CommentView| {
            if comment.id == thread.id {
                id.clone()
            } else {
                named(import_tags::of_answer(comment), &comment.id)
            }
        };
        let anchored = thread.anchor.as_ref().and_then(|anchor| anchor.start.zip(anchor.end));
        let lines = exported.span().or(anchored);
        let marker = lines.map(|(start, _)| {
            let said: Vec<String> = thread.comments.iter().map(names).collect();
            Marker::mark(&mut markers, exported, start, said)
        });
        for comment in &thread.comments {
            let mut written = json!({
                "id": names(comment),
                "text": comment.text,
                "author": person::write(&comment.author),
                "created": rfc3339::write(comment.at),
                "updated": rfc3339::write(comment.edited.unwrap_or(comment.at)),
            });
            if let Some((start, end)) = lines {
                written["line"] = json!(start);
                written["startLine"] = json!(start);
                written["endLine"] = json!(end);
                written["ghostMarkerId"] = json!(marker);
            }
            if comment.id == thread.id {
                if let Some(tag) = import_tags::own_tags(thread).next() {
                    written["tag"] = json!(tag);
                }
                if thread.status == ThreadStatus::Resolved {
                    written["status"] = json!("resolved");
                }
            } else {
                written["parentId"] = json!(id);
            }
            comments.push(written);
        }
    }
    let value: Value = json!({
        "file": String::from_utf8_lossy(about),
        "version": "2.0",
        "ghostMarkers": markers.iter().map(Marker::written).collect::<Vec<Value>>(),
        "comments": comments,
    });
    format!("{value:#}\n")
}

/// The line where a thread is and its neighbours; of one without a place, those that it was about.
fn fingerprint(exported: &Exported, start: u32) -> MarkerFingerprint {
    if exported.span().is_some() {
        let at = |line: Option<u32>| {
            let found = line.and_then(|line| exported.lines.iter().find(|(number, _)| *number == line));
            found.map(|(_, text)| text.as_bytes().to_vec()).unwrap_or_default()
        };
        if exported.lines.iter().any(|(number, _)| *number == start) {
            return MarkerFingerprint {
                line: at(Some(start)),
                before: at(start.checked_sub(1)),
                after: at(start.checked_add(1)),
            };
        }
    }
    let first = |lines: &[Option<ByteText>]| {
        lines.first().cloned().flatten().map(|text| text.as_bytes().to_vec()).unwrap_or_default()
    };
    let was = |anchor: &AnchorView| MarkerFingerprint {
        line: first(&anchor.lines),
        before: anchor
            .before
            .last()
            .cloned()
            .flatten()
            .map(|text| text.as_bytes().to_vec())
            .unwrap_or_default(),
        after: if anchor.lines.len() > 1 { first(&anchor.lines[1..]) } else { first(&anchor.after) },
    };
    exported.thread.anchor.as_ref().map(was).unwrap_or_default()
}

fn trimmed(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim().to_owned()
}

/// The first sixteen digits of the SHA-256 of a line, without what ends it.
fn hash(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut hasher = gix::hash::hasher(Kind::Sha256);
    hasher.update(line);
    let digits = hasher.try_finalize().map(|id| id.to_string()).unwrap_or_default();
    digits.chars().take(16).collect()
}
