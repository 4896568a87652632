//! Comments on the words of a document in a sealed repository, and where they are seen.
//!
//! The checks themselves are the tests.

use std::num::NonZeroUsize;

use postil_core::anchoring::prose::Document;
use postil_core::anchoring::{
    AnchorError, Head, PointedWords, Position, WordSelection, anchor_at_words, locate,
};
use postil_core::record::Anchor;
use postil_testkit::Checkout;

use crate::deleted_lines::change::path;

/// Comments on words of a file, as `rev` has it.
pub fn on_words(repo: &Checkout<'_>, rev: &str, file: &str, exact: &str) -> Anchor {
    try_on_words(repo, rev, file, WordSelection::Said { exact, prefix: "", suffix: "" })
        .expect("the words are there once")
}

pub fn try_on_words(
    repo: &Checkout<'_>,
    rev: &str,
    file: &str,
    words: WordSelection<'_>,
) -> Result<Anchor, AnchorError> {
    let content = repo.git(&["show", &format!("{rev}:{file}")]) + "\n";
    anchor_at_words(&PointedWords {
        commit: Some(repo.commit_id(rev)),
        path: &path(file),
        blob: repo.blob_id(&format!("{rev}:{file}")),
        content: content.as_bytes(),
        words,
    })
}

pub fn head(repo: &Checkout<'_>, rev: &str) -> Head {
    let tree = repo.object_id(&format!("{rev}^{{tree}}")).raw().into();
    Head { tree, commit: Some(repo.commit_id(rev)) }
}

/// Where an anchor is in `rev`: its state and reason, its place, and what stands there, on the page and
/// in the source.
pub fn seen(repo: &Checkout<'_>, anchor: &Anchor, rev: &str) -> String {
    let handle = repo.open().handle();
    let found = locate(&handle, std::slice::from_ref(anchor), head(repo, rev), NonZeroUsize::MIN);
    told(repo, &found.into_iter().next().expect("one was asked").expect("it can be located"), rev)
}

pub fn told(repo: &Checkout<'_>, position: &Position, rev: &str) -> String {
    let (state, reason) = (position.state(), position.reason());
    let Some(site) = position.site() else { return format!("{state} {reason}") };
    let line = site.range.map_or(String::new(), |range| format!(":{}", range.span().first()));
    let Some(passage) = site.passage else { return format!("{state} {reason} {}{line}", site.path) };
    let content = repo.git(&["show", &format!("{rev}:{}", site.path)]) + "\n";
    let document = Document::read(&site.path, content.as_bytes()).expect("the file can be read");
    let rendered = &document.text()[passage.rendered.start..passage.rendered.end];
    let source = &content[passage.source.start..passage.source.end];
    format!("{state} {reason} {}{line} {rendered:?} {source:?}", site.path)
}
