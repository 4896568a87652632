//! Reviewdog's formats: rdjson, one object for all, and rdjsonl, one a line.
//!
//! The suggestions of a diagnostic become one change.

use postil_protocol::{
    ByteText, ColumnUnit, FilePart, FixedFile, FixedRegion, ImportedComment, ImportedFix, Place, SeverityView,
};
use serde_json::Value;

use super::super::field::{list, number, parse, text, word};
use super::super::fingerprint::{EntryNames, fingerprint};
use super::super::import_tags::{OWN, RULE};
use super::super::region::ReportRegion;
use super::super::report::{FormatError, Report};
use super::super::{path, person};
use super::threads;

/// The source of what names none.
const NAMELESS: &str = "reviewdog";

/// Reads one object with all diagnostics.
pub fn rdjson(bytes: &[u8], root: Option<&[u8]>) -> Result<Report, FormatError> {
    let value = parse(bytes)?;
    if !value.get("diagnostics").is_some_and(Value::is_array) {
        return Err(FormatError::Another("an rdjson file: it has no diagnostics"));
    }
    let (mut report, mut names) = (Report::default(), EntryNames::default());
    let source = value.get("source").and_then(|source| text(source, "name"));
    if let Some(source) = source {
        report.add_source(&word(source));
    }
    let severity = text(&value, "severity");
    for (at, entry) in list(&value, "diagnostics").iter().enumerate() {
        let all = Usual { source, severity, root };
        diagnostic(&mut report, &mut names, &format!("diagnostics[{at}]"), entry, &all);
    }
    Ok(report)
}

/// Reads a diagnostic a line.
pub fn rdjsonl(bytes: &[u8], root: Option<&[u8]>) -> Result<Report, FormatError> {
    let (mut report, mut names) = (Report::default(), EntryNames::default());
    let mut is_any = false;
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let name = format!("line {}", at + 1);
        match parse(line) {
            Ok(entry) => {
                is_any |= entry.get("location").is_some();
                let all = Usual { source: None, severity: None, root };
                diagnostic(&mut report, &mut names, &name, &entry, &all);
            }
            Err(error @ FormatError::TooLarge { .. }) => return Err(error),
            Err(_) => report.refuse(name, "not valid JSON"),
        }
    }
    if is_any || report.refused.is_empty() {
        Ok(report)
    } else {
        Err(FormatError::Another("an rdjsonl file: no line is a diagnostic"))
    }
}

/// What holds for every diagnostic that does not say otherwise.
struct Usual<'a> {
    source: Option<&'a str>,
    severity: Option<&'a str>,
    root: Option<&'a [u8]>,
}

fn diagnostic(report: &mut Report, names: &mut EntryNames, name: &str, entry: &Value, all: &Usual<'_>) {
    let source = entry.get("source").and_then(|source| text(source, "name")).or(all.source);
    let source = word(source.unwrap_or(NAMELESS));
    // What postil exported carries the whole thread.
    if source == OWN
        && let Some(original) = text(entry, "original_output")
        && let Ok(value) = parse(original.as_bytes())
        && let Ok(comments) = threads::thread(&value)
    {
        report.add_source(OWN);
        report.comments.extend(comments);
        return;
    }
    report.add_source(&source);
    let read = read(names, entry, source, all);
    report.add(name, read.map(Some));
}

fn read(
    names: &mut EntryNames,
    entry: &Value,
    source: String,
    all: &Usual<'_>,
) -> Result<ImportedComment, String> {
    let message = text(entry, "message").ok_or("no message")?;
    let location = entry.get("location").ok_or("no location")?;
    let path = path::read(text(location, "path").ok_or("no file name")?, all.root)?;
    let range = location.get("range").unwrap_or(&Value::Null);
    let (start, end) = (range.get("start").unwrap_or(&Value::Null), range.get("end").unwrap_or(&Value::Null));
    let region = ReportRegion {
        start_line: number(start, "line")?,
        start_column: number(start, "column")?,
        end_line: number(end, "line")?,
        end_column: number(end, "column")?,
    };
    let rule = entry.get("code").and_then(|code| text(code, "value")).map(word);
    let shown = String::from_utf8_lossy(&path);
    let id = fingerprint(&[rule.as_deref().unwrap_or_default(), &shown, message]);
    Ok(ImportedComment {
        exported: false,
        nameless: true,
        message: None,
        id: names.give(&source, id),
        author: person::tool(&source, None),
        source,
        at: None,
        edited: None,
        parent: None,
        review: None,
        place: Some(Place { span: region.span()?, ..Place::file(path.as_slice()) }),
        columns: ColumnUnit::Bytes,
        expected: None,
        text: message.to_owned(),
        severity: severity(entry, all.severity),
        tags: rule.iter().map(|rule| format!("{RULE}{rule}")).collect(),
        verdict: None,
        resolved: None,
        anchored: None,
        blob: None,
        withdrawn: None,
        fix: fix(entry, &path).unwrap_or_else(|reason| Some(ImportedFix::Unreadable(reason))),
    })
}

/// The suggestions of a diagnostic: for different parts of its file, so all of them together.
fn fix(entry: &Value, path: &[u8]) -> Result<Option<ImportedFix>, String> {
    let mut replacements = Vec::new();
    for suggestion in list(entry, "suggestions") {
        let range = suggestion.get("range").ok_or("a suggestion without a range")?;
        let (start, end) =
            (range.get("start").unwrap_or(&Value::Null), range.get("end").unwrap_or(&Value::Null));
        let first = number(start, "line")?.ok_or("a suggestion without a line")?;
        let (start_column, end_column) = (number(start, "column")?, number(end, "column")?);
        let inserted = suggestion.get("text").and_then(Value::as_str).unwrap_or_default();
        // Whole lines are replaced by whole lines, whether the last of them ends or not.
        let is_lines = start_column.is_none() && end_column.is_none();
        let inserted = if is_lines { inserted.strip_suffix('\n').unwrap_or(inserted) } else { inserted };
        let part = FilePart::Lines {
            start: first,
            start_column,
            end: number(end, "line")?.unwrap_or(first),
            end_column,
        };
        replacements.push(FixedRegion { part, deleted: None, inserted: inserted.to_owned() });
    }
    let files = vec![FixedFile { path: ByteText::new(path), replacements }];
    Ok((!files[0].replacements.is_empty()).then_some(ImportedFix::Files(files)))
}

fn severity(entry: &Value, usual: Option<&str>) -> Option<SeverityView> {
    // Protocol buffers may also write the number of a word.
    let word = match entry.get("severity") {
        Some(Value::Number(number)) => match number.as_u64() {
            Some(1) => Some("ERROR"),
            Some(2) => Some("WARNING"),
            Some(3) => Some("INFO"),
            _ => None,
        },
        _ => text(entry, "severity").or(usual),
    };
    match word {
        Some("ERROR") => Some(SeverityView::Blocker),
        Some("WARNING") => Some(SeverityView::Issue),
        Some("INFO") => Some(SeverityView::Note),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_read_and_bad_ones_are_refused_by_themselves() {
        let bytes = br#"{"source":{"name":"lint"},"severity":"WARNING","diagnostics":[
            {"message":"unused","location":{"path":"src/a.rs","range":{"start":{"line":1,"column":5},"end":{"line":1,"column":7}}},"severity":"ERROR","code":{"value":"W1"}},
            {"message":"unused","location":{"path":"src/a.rs","range":{"start":{"line":9}}},"code":{"value":"W1"}},
            {"message":"x","location":{"path":"../../etc/passwd"}},
            {"message":"x","location":{"path":".git/hooks/x"}},
            {"message":"x","location":{"path":"a","range":{"start":{"line":99999999999999999999}}}},
            {"location":{"path":"a"}}, 7]}"#;
        let report = rdjson(bytes, None).unwrap();
        assert_eq!(report.sources, ["lint"]);
        let [first, second] = report.comments.as_slice() else { panic!("{report:?}") };
        let via = first.author.via.as_ref().expect("a tool is named as one");
        assert_eq!((via.kind.as_str(), via.program.as_str(), &via.version), ("tool", "lint", &None));
        assert_eq!(first.severity, Some(SeverityView::Blocker));
        assert_eq!(second.severity, Some(SeverityView::Issue));
        let span = first.place.as_ref().unwrap().span.unwrap();
        assert_eq!((span.start_column, span.end_column), (Some(5), Some(6)));
        assert_eq!(second.id, format!("{}~2", first.id), "the line is no part of the name");
        assert_eq!(first.tags, ["rule:W1"]);
        let refused: Vec<&str> = report.refused.iter().map(|refused| refused.id.as_str()).collect();
        assert_eq!(
            refused,
            ["diagnostics[2]", "diagnostics[3]", "diagnostics[4]", "diagnostics[5]", "diagnostics[6]"]
        );
        assert!(report.refused[0].reason.contains("passwd"), "{:?}", report.refused[0]);
    }

    #[test]
    fn lines_that_are_no_json_are_refused_by_themselves() {
        let bytes = b"{\"message\":\"m\",\"location\":{\"path\":\"a\"},\"severity\":1}\n\nnonsense\n";
        let report = rdjsonl(bytes, None).unwrap();
        assert_eq!((report.comments.len(), report.refused.len()), (1, 1));
        assert_eq!(report.comments[0].source, "reviewdog");
        assert_eq!(report.comments[0].severity, Some(SeverityView::Blocker));
        assert!(rdjsonl(b"nonsense", None).is_err());
        assert!(rdjson(b"{}", None).is_err());
    }
}
