//! Where something that was said elsewhere is placed here, as an anchor.

use std::sync::Arc;

use postil_core::anchoring::{AnchorError, Pointed, anchor_at};
use postil_core::edit::Text;
use postil_core::git::{ObjectId, RepoPath};
use postil_core::notes::{DraftPin, Home};
use postil_core::record::{Anchor, AnchorSide, CommentAnchor, Line, LineSpan, Range};
use postil_protocol::{Fault, FaultCode, Hex, ImportedComment};

use crate::convert::fault::OrFault as _;
use crate::files::disk::is_trackable;
use crate::import::exported_message::{exported_message, placed_message};
use crate::import::find_lines::{Landing, land};
use crate::import::importing::{FileAndLines, Importing};
use crate::pointing::point::{IgnoredFiles, Pointing, anchor_of_place, range, repo_path, text_of};
use crate::writing::records::home_of;

/// Where a new thread is placed.
#[derive(Debug)]
pub(crate) struct NewThreadPlace {
    /// What it is on; none for the whole review.
    pub anchor: Option<CommentAnchor>,
    /// The note that it is written to.
    pub home: Home,
    /// Whether it is not where its source says.
    pub is_displaced: bool,
    /// The commit that it was looked for in; none for the files on disk.
    pub rev: Option<String>,
    /// What is kept with it.
    pub pins: Vec<DraftPin>,
    /// The file that it is in.
    pub file: Option<Arc<FileAndLines>>,
}

impl NewThreadPlace {
    fn new(anchor: Option<CommentAnchor>, home: Home) -> Self {
        Self { anchor, home, is_displaced: false, rev: None, pins: Vec::new(), file: None }
    }
}

impl Importing<'_> {
    /// Finds the place of a comment that starts a thread.
    pub fn place(&mut self, comment: &ImportedComment) -> Result<NewThreadPlace, Fault> {
        if let Some(on) = &comment.message {
            let (anchor, is_displaced) = placed_message(self.request, exported_message(on)?)?;
            let home = Home::On(anchor.commit.into());
            let anchor = Some(CommentAnchor::Message(anchor));
            return Ok(NewThreadPlace { is_displaced, ..NewThreadPlace::new(anchor, home) });
        }
        let Some(place) = &comment.place else {
            let home = match (&comment.review, self.current) {
                (Some(name), _) => Home::On(self.review_named(name)?.1),
                (None, Some(current)) => home_of(self.request, current)?,
                (None, None) => return Err(Fault::new(FaultCode::NoSuchPlace, "no location")),
            };
            return Ok(NewThreadPlace::new(None, home));
        };
        if let Some(placed) = self.as_anchored(comment) {
            return Ok(placed);
        }
        let path = repo_path(&place.path)?;
        if !is_trackable(&path) {
            let message = format!("{path} is outside the repository, or in the git directory");
            return Err(Fault::new(FaultCode::NoSuchPlace, message));
        }
        if place.side == postil_protocol::Side::Old {
            let Pointing { anchor, home, pins, .. } = anchor_of_place(self.request, place)?;
            return Ok(NewThreadPlace { pins, ..NewThreadPlace::new(Some(anchor.into()), home) });
        }
        let mut rev = place.rev.clone();
        let mut found = self.file(&path, rev.as_deref());
        // A commit that is not here, such as one that only a build made, says nothing; its text does.
        if found.is_err() && place.rev.is_some() && comment.expected.is_some() {
            found = self.file(&path, None);
            rev = None;
        }
        let file = match found {
            Ok(file) => file,
            // The report contains the text of the line, so it can be searched for.
            Err(fault) if fault.code == FaultCode::NoSuchPlace && comment.expected.is_some() => {
                return self.lost(comment, &path);
            }
            Err(fault) => return Err(fault),
        };
        let (seen, text) = file.as_ref();
        let landing = place.span.map(|span| land(text, span, comment.columns, comment.expected.as_ref()));
        let (span, is_displaced) = match landing {
            None => (None, false),
            Some(Landing::AsTold(span)) => (Some(span), false),
            Some(Landing::Found(span)) => (Some(span), true),
            Some(Landing::OutOfFile) => (None, true),
            Some(Landing::Lost) => return self.lost(comment, &path),
        };
        let (commit, blob) = (seen.commit, seen.blob);
        let whole = Pointed { commit, path: &path, blob, content: &seen.content, range: None };
        let pointed = Pointed { range: span.map(range).transpose()?, ..whole.clone() };
        let anchor = anchor_at(&pointed).or_else(|error| match error {
            AnchorError::Binary { .. } => anchor_at(&whole),
            error => Err(error),
        });
        let (anchor, home) = (anchor.or_fault()?.into(), Home::Anchor { commit, blob });
        let pins = vec![seen.pin.clone()];
        let file = Some(file.clone());
        Ok(NewThreadPlace { is_displaced, rev, pins, file, ..NewThreadPlace::new(Some(anchor), home) })
    }

    /// The place that its author chose, if the commit and the content that they chose it in are here.
    fn as_anchored(&mut self, comment: &ImportedComment) -> Option<NewThreadPlace> {
        let place = comment.anchored.as_ref()?;
        let path = repo_path(&place.path).ok().filter(is_trackable)?;
        let file = self.file(&path, place.rev.as_deref()).ok()?;
        let (seen, text) = file.as_ref();
        let is_same = |blob: &Hex| blob.as_str() == seen.blob.to_string();
        if !comment.blob.as_ref().is_none_or(is_same) || place.span.is_some_and(|span| span.end > text.len())
        {
            return None;
        }
        let Pointing { anchor, home, pins, .. } = anchor_of_place(self.request, place).ok()?;
        let rev = place.rev.clone();
        Some(NewThreadPlace { rev, pins, ..NewThreadPlace::new(Some(anchor.into()), home) })
    }

    /// An anchor on text that is not in this repository; the thread is orphaned until it is moved by hand.
    fn lost(&self, comment: &ImportedComment, path: &RepoPath) -> Result<NewThreadPlace, Fault> {
        let expected = comment.expected.as_ref().expect("only text that was told can be lost");
        let first = comment.place.as_ref().and_then(|place| place.span).map_or(1, |span| span.start);
        let none = || Fault::new(FaultCode::NoSuchPlace, "the repository has no commits yet");
        let head = self.request.head.ok_or_else(none)?;
        let line = |text: &Option<String>| text.iter().map(|text| Line::new(text.as_bytes())).collect();
        let anchor = Anchor {
            commit: None,
            path: path.clone(),
            blob: None,
            side: AnchorSide::New,
            range: LineSpan::from_numbers(first, first).map(Range::lines),
            lines: vec![Line::new(expected.line.as_bytes())],
            before: line(&expected.before),
            after: line(&expected.after),
            quote: None,
            headings: Vec::new(),
            scope: Vec::new(),
        };
        let home = Home::On(ObjectId::from(head));
        Ok(NewThreadPlace { is_displaced: true, ..NewThreadPlace::new(Some(anchor.into()), home) })
    }

    /// A file, read once for all that is about it.
    pub fn file(&mut self, path: &RepoPath, rev: Option<&str>) -> Result<Arc<FileAndLines>, Fault> {
        let key = (path.clone(), rev.map(str::to_owned));
        if let Some(file) = self.files.get(&key) {
            return Ok(file.clone());
        }
        let seen = text_of(self.request, path, rev, IgnoredFiles::Refuse)?;
        let text = Text::new(seen.content.clone());
        let file = Arc::new((seen, text));
        self.files.insert(key, file.clone());
        Ok(file)
    }
}
