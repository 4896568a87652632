//! `.comments` files: comments of one source file, with markers that know the text of their lines.
//!
//! Version 1.0 has lines alone; they are taken for those of the file as it is. Version 2.0 has the text of each line
//! and of its neighbours. The marker's line counts before that of the comment.

use postil_protocol::{ColumnUnit, Expected, ImportedComment, ImportedResolution, Place, Span};
use serde_json::Value;

use super::super::field::{list, number, parse, text, word};
use super::super::fingerprint::{EntryNames, fingerprint};
use super::super::report::{FormatError, Report};
use super::super::{import_tags, path, person, rfc3339};

/// Reads a file; `about` is the source file that its name says it is about.
pub fn comments(bytes: &[u8], about: Option<&[u8]>) -> Result<Report, FormatError> {
    let value = parse(bytes)?;
    if !value.get("comments").is_some_and(Value::is_array) {
        return Err(FormatError::Another("a `.comments` file: it has no comments"));
    }
    let mut report = Report::default();
    let about = match (about, text(&value, "file")) {
        (Some(about), _) => about.to_owned(),
        (None, Some(file)) => path::read(file, None).map_err(|_| FormatError::NoFile)?,
        (None, None) => return Err(FormatError::NoFile),
    };
    if !path::is_trackable(&about) {
        return Err(FormatError::NoFile);
    }
    let source = import_tags::of_comments_file(&about);
    report.add_source(&source);
    let file = CommentedFile { about, source, markers: list(&value, "ghostMarkers") };
    let mut names = EntryNames::default();
    for (at, entry) in list(&value, "comments").iter().enumerate() {
        let read = file.comment(&mut names, entry);
        report.add(format!("comments[{at}]"), read.map(Some));
    }
    // Replies may come before the comment that they reply to.
    report.comments.sort_by_key(|comment| comment.parent.is_some());
    Ok(report)
}

struct CommentedFile<'a> {
    about: Vec<u8>,
    source: String,
    markers: &'a [Value],
}

impl CommentedFile<'_> {
    fn comment(&self, names: &mut EntryNames, entry: &Value) -> Result<ImportedComment, String> {
        let said = text(entry, "text").ok_or("no text")?;
        let marker = self.marker(entry);
        let id = match text(entry, "id") {
            Some(id) => id.to_owned(),
            None => fingerprint(&[said]),
        };
        let start = number(entry, "startLine")?.or(number(entry, "line")?);
        let end = number(entry, "endLine")?;
        let marked = marker.map(|marker| number(marker, "line")).transpose()?.flatten();
        let count = match (start, end) {
            (Some(start), Some(end)) => end.checked_sub(start).ok_or("its last line is before its first")?,
            _ => 0,
        };
        let first = marked.or(start);
        let span = first.map(|first| Span::lines(first, first.saturating_add(count)));
        let author = text(entry, "author").map_or_else(|| person::named(""), person::read);
        let at = text(entry, "created").and_then(rfc3339::read);
        let edited = text(entry, "updated").and_then(rfc3339::read);
        let is_resolved = matches!(text(entry, "status"), Some("resolved" | "closed"));
        Ok(ImportedComment {
            exported: false,
            nameless: false,
            message: None,
            source: self.source.clone(),
            id: names.give(&self.source, id),
            at,
            edited,
            parent: text(entry, "parentId").map(str::to_owned),
            review: None,
            place: Some(Place { span, ..Place::file(self.about.clone()) }),
            columns: ColumnUnit::Bytes,
            expected: expected(marker.unwrap_or(entry)),
            text: said.to_owned(),
            severity: None,
            tags: text(entry, "tag").map(word).into_iter().collect(),
            verdict: None,
            resolved: is_resolved.then(|| ImportedResolution {
                author: author.clone(),
                at: edited.or(at),
                reason: None,
                commit: None,
            }),
            anchored: None,
            blob: None,
            withdrawn: None,
            fix: None,
            author,
        })
    }

    /// The marker that the comment names, or that names the comment.
    fn marker(&self, entry: &Value) -> Option<&Value> {
        let (named, id) = (text(entry, "ghostMarkerId"), text(entry, "id"));
        let by_name = self.markers.iter().find(|marker| named.is_some() && text(marker, "id") == named);
        by_name.or_else(|| {
            let names = |marker: &&Value| list(marker, "commentIds").iter().any(|name| name.as_str() == id);
            id.and_then(|_| self.markers.iter().find(names))
        })
    }
}

/// The expected text; version 1.0 has none.
fn expected(value: &Value) -> Option<Expected> {
    let line = |name: &str| value.get(name).and_then(Value::as_str).map(|line| line.trim().to_owned());
    let (before, after) = (line("prevLineText"), line("nextLineText"));
    line("lineText").map(|line| Expected { line, before, after, part: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_one_has_lines_alone() {
        let bytes = br#"{"file":"src/App.js","version":"1.0","comments":[{"line":42,"text":"Old comment"},{"line":1,"text":""}]}"#;
        let report = comments(bytes, None).unwrap();
        let [comment] = report.comments.as_slice() else { panic!("{report:?}") };
        assert_eq!(comment.source, "comments:src/App.js");
        assert_eq!(comment.place.as_ref().unwrap().span, Some(Span::lines(42, 42)));
        assert_eq!((&comment.expected, comment.author.name.as_str()), (&None, "somebody"));
        assert_eq!(report.refused.len(), 1);
    }

    #[test]
    fn the_line_of_the_marker_counts_and_everything_is_kept() {
        let bytes = br#"{"file":"other","version":"2.0",
            "ghostMarkers":[{"id":"gm-1","line":50,"commentIds":["c1"],"lineText":"let x;","prevLineText":"","nextLineText":"}"}],
            "comments":[
                {"id":"c2","parentId":"c1","line":42,"text":"because","author":"Bob"},
                {"id":"c1","line":42,"startLine":42,"endLine":44,"text":"why?","author":"Ann <ann@example.com>",
                 "created":"2025-10-17T10:00:00Z","updated":"2025-10-17T11:00:00Z","tag":"TODO","status":"resolved"}]}"#;
        let report = comments(bytes, Some(b"App.js")).unwrap();
        let [first, answer] = report.comments.as_slice() else { panic!("{report:?}") };
        assert_eq!((first.id.as_str(), first.tags.as_slice()), ("c1", &["TODO".to_owned()][..]));
        assert_eq!(first.place.as_ref().unwrap().path.as_bytes(), b"App.js", "the name of the file counts");
        assert_eq!(first.place.as_ref().unwrap().span, Some(Span::lines(50, 52)));
        assert_eq!(first.author.email, "ann@example.com");
        assert_eq!(first.edited.unwrap() - first.at.unwrap(), 3_600_000);
        let expected = first.expected.as_ref().unwrap();
        assert_eq!(
            (expected.before.as_deref(), expected.line.as_str(), expected.after.as_deref()),
            (Some(""), "let x;", Some("}"))
        );
        assert!(first.resolved.is_some());
        assert_eq!(answer.parent.as_deref(), Some("c1"));
    }

    #[test]
    fn a_file_that_leads_elsewhere_is_refused() {
        for bad in ["../../etc/passwd", ".git/config", ""] {
            let bytes = format!(r#"{{"file":"{bad}","comments":[{{"line":1,"text":"x"}}]}}"#);
            assert!(comments(bytes.as_bytes(), None).is_err(), "{bad}");
        }
        assert!(comments(b"{}", Some(b"a")).is_err());
        assert!(comments(br#"{"comments":[]}"#, Some(b"../a")).is_err());
    }
}
