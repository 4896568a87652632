//! What Codex finds in a review: its findings, and its opinion of the whole as a comment on the review.
//!
//! It gives its findings no names and no rules. Its opinion is not a person's verdict.

use postil_protocol::{ColumnUnit, ImportedComment, Person, Place, SeverityView, Span};
use serde_json::Value;

use super::super::field::{list, number, parse, text, word};
use super::super::fingerprint::{EntryNames, fingerprint};
use super::super::report::{FormatError, Report};
use super::super::{path, person};

/// The source of all that it finds.
const CODEX: &str = "codex";

/// What its opinion of the whole is called.
const OPINION: &str = "opinion";

/// Reads what one review found; `root` is where its absolute paths lead into the repository.
pub fn codex(bytes: &[u8], root: Option<&[u8]>) -> Result<Report, FormatError> {
    let value = parse(bytes)?;
    if !value.get("findings").is_some_and(Value::is_array) {
        return Err(FormatError::Another("a review of Codex: it has no findings"));
    }
    let (mut report, mut names) = (Report::default(), EntryNames::default());
    report.add_source(CODEX);
    for (at, entry) in list(&value, "findings").iter().enumerate() {
        report.add(format!("findings[{at}]"), finding(&mut names, entry, root).map(Some));
    }
    if let Some(opinion) = opinion(&value) {
        report.comments.push(opinion);
    }
    Ok(report)
}

fn finding(names: &mut EntryNames, entry: &Value, root: Option<&[u8]>) -> Result<ImportedComment, String> {
    let location = entry.get("code_location").ok_or("no location")?;
    let path = path::read(text(location, "absolute_file_path").ok_or("no file name")?, root)?;
    let lines = location.get("line_range").unwrap_or(&Value::Null);
    let span = match (number(lines, "start")?, number(lines, "end")?) {
        (None, _) => None,
        (Some(start), end) => Some(Span::lines(start, end.unwrap_or(start))),
    };
    if let Some(Span { start, end, .. }) = span.filter(|span| span.end < span.start) {
        return Err(format!("its last line is before its first: {start} to {end}"));
    }
    let title = text(entry, "title").map(|title| without_priority(title.trim()));
    let said: Vec<&str> = [title, text(entry, "body").map(str::trim)]
        .into_iter()
        .flatten()
        .filter(|said| !said.is_empty())
        .collect();
    if said.is_empty() {
        return Err("no message".into());
    }
    let said = said.join("\n\n");
    let name = fingerprint(&["", &String::from_utf8_lossy(&path), &said]);
    let priority = entry.get("priority").and_then(Value::as_u64);
    let tags = [
        priority.map(|priority| format!("priority:{priority}")),
        confidence(entry, "confidence_score").map(|share| format!("confidence:{share}")),
    ];
    Ok(ImportedComment {
        id: names.give(CODEX, name),
        place: Some(Place { span, ..Place::file(path) }),
        severity: severity(priority),
        tags: tags.into_iter().flatten().collect(),
        nameless: true,
        ..comment(said)
    })
}

/// What it says about the whole, if it says something.
fn opinion(value: &Value) -> Option<ImportedComment> {
    let correctness = text(value, "overall_correctness").map(word);
    let share = confidence(value, "overall_confidence_score").map(|share| format!(" (confidence {share})"));
    let first = correctness.map(|said| format!("{said}{}", share.unwrap_or_default()));
    let explanation = text(value, "overall_explanation").map(|said| said.trim().to_owned());
    let said: Vec<String> = [first, explanation].into_iter().flatten().collect();
    (!said.is_empty()).then(|| ImportedComment { id: OPINION.into(), ..comment(said.join("\n\n")) })
}

fn comment(text: String) -> ImportedComment {
    let author: Person = person::agent(CODEX);
    ImportedComment {
        source: CODEX.into(),
        id: String::new(),
        author,
        at: None,
        edited: None,
        parent: None,
        review: None,
        place: None,
        message: None,
        anchored: None,
        blob: None,
        columns: ColumnUnit::Bytes,
        expected: None,
        text,
        severity: None,
        tags: Vec::new(),
        verdict: None,
        resolved: None,
        withdrawn: None,
        fix: None,
        exported: false,
        nameless: false,
    }
}

/// A title without the `[P1]` before it, which the severity says.
fn without_priority(title: &str) -> &str {
    let rest = title.strip_prefix("[P").and_then(|rest| rest.split_once(']'));
    rest.filter(|(digit, _)| digit.len() == 1 && digit.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(title, |(_, rest)| rest.trim_start())
}

/// From 0, drop everything, to 3, nice to have.
fn severity(priority: Option<u64>) -> Option<SeverityView> {
    match priority? {
        0 => Some(SeverityView::Blocker),
        1 | 2 => Some(SeverityView::Issue),
        3 => Some(SeverityView::Note),
        _ => None,
    }
}

/// A share between 0 and 1, with two digits.
fn confidence(value: &Value, name: &str) -> Option<String> {
    let share = value.get(name)?.as_f64().filter(|share| (0.0..=1.0).contains(share))?;
    Some(format!("{share:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEW: &str = r#"{
        "findings": [
            {"title": "[P1] Bound the sum", "body": "It wraps at 2^32.", "confidence_score": 0.875, "priority": 1,
             "code_location": {"absolute_file_path": "/home/ann/r/src/a.rs", "line_range": {"start": 3, "end": 4}}},
            {"title": "Elsewhere", "body": "x", "confidence_score": 0.5, "priority": 0,
             "code_location": {"absolute_file_path": "/etc/passwd", "line_range": {"start": 1, "end": 1}}},
            {"title": "Backwards", "body": "x",
             "code_location": {"absolute_file_path": "/home/ann/r/a", "line_range": {"start": 5, "end": 1}}},
            {"title": "", "body": " ", "code_location": {"absolute_file_path": "/home/ann/r/a"}},
            {"title": "[P0] First", "body": "", "priority": 0, "confidence_score": 7,
             "code_location": {"absolute_file_path": "/home/ann/r/a", "line_range": {"start": 1, "end": 1}}},
            7
        ],
        "overall_correctness": "patch is incorrect",
        "overall_explanation": "The sum is not bounded.",
        "overall_confidence_score": 0.9
    }"#;

    #[test]
    fn findings_are_read_with_their_places_and_bad_ones_are_refused_by_themselves() {
        let report = codex(REVIEW.as_bytes(), Some(b"/home/ann/r")).unwrap();
        let [sum, first, opinion] = report.comments.as_slice() else { panic!("{report:?}") };
        let place = sum.place.as_ref().unwrap();
        assert_eq!((place.path.as_str(), place.span), (Some("src/a.rs"), Some(Span::lines(3, 4))));
        assert_eq!(sum.text, "Bound the sum\n\nIt wraps at 2^32.");
        assert_eq!(sum.severity, Some(SeverityView::Issue));
        assert_eq!(sum.tags, ["priority:1", "confidence:0.88"]);
        assert!(sum.nameless && sum.author.via.as_ref().is_some_and(|via| via.kind == "agent"));
        assert_eq!((first.text.as_str(), first.tags.len()), ("First", 1), "no confidence above 1");
        assert_eq!(first.severity, Some(SeverityView::Blocker));
        assert_eq!(opinion.text, "patch is incorrect (confidence 0.90)\n\nThe sum is not bounded.");
        assert!(opinion.place.is_none() && opinion.verdict.is_none(), "it is nobody's verdict");
        let refused: Vec<&str> = report.refused.iter().map(|refused| refused.id.as_str()).collect();
        assert_eq!(refused, ["findings[1]", "findings[2]", "findings[3]", "findings[5]"]);
        assert!(report.refused[0].reason.contains("passwd"));
    }

    #[test]
    fn other_files_are_told_from_a_review() {
        for other in ["{}", "[]", "x", r#"{"findings":7}"#] {
            assert!(codex(other.as_bytes(), None).is_err());
        }
        assert!(codex(br#"{"findings":[]}"#, None).unwrap().comments.is_empty());
    }
}
