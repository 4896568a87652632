//! SARIF 2.1.0: what analysis tools find.
//!
//! Of several fixes, which are alternatives, the first is taken over. Code flows and related places are not.

use postil_protocol::{
    ByteText, ColumnUnit, Expected, FilePart, FixedFile, FixedRegion, ImportedComment, ImportedFix, Place,
    SeverityView,
};
use serde_json::Value;

use super::super::field::{commit, list, number, parse, text, word};
use super::super::fingerprint::{EntryNames, fingerprint};
use super::super::import_tags::RULE;
use super::super::region::ReportRegion;
use super::super::report::{FormatError, Report};
use super::super::{path, person, rfc3339};
use super::threads;

/// A longer message is none: no comment could hold it.
const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// Reads a log; `root` is where absolute addresses lead into the repository.
pub fn sarif(bytes: &[u8], root: Option<&[u8]>) -> Result<Report, FormatError> {
    let log = parse(bytes)?;
    let version = text(&log, "version").unwrap_or_default();
    if !log.get("runs").is_some_and(Value::is_array) || !version.starts_with("2.") {
        return Err(FormatError::Another("SARIF 2.1.0"));
    }
    let (mut report, mut names) = (Report::default(), EntryNames::default());
    for (at, value) in list(&log, "runs").iter().enumerate() {
        match SarifRun::read(value, root) {
            Ok(run) => run.results(&mut report, &mut names, at),
            Err(reason) => report.refuse(format!("runs[{at}]"), reason),
        }
    }
    Ok(report)
}

/// One run of a tool, with what holds for all its results.
struct SarifRun<'a> {
    value: &'a Value,
    tool: String,
    version: Option<&'a str>,
    rules: &'a [Value],
    columns: ColumnUnit,
    /// The commit that was looked at.
    rev: Option<String>,
    at: Option<u64>,
    root: Option<&'a [u8]>,
}

impl<'a> SarifRun<'a> {
    fn read(value: &'a Value, root: Option<&'a [u8]>) -> Result<Self, String> {
        let driver = value.get("tool").and_then(|tool| tool.get("driver")).ok_or("no tool name")?;
        let invocation = list(value, "invocations").first().unwrap_or(&Value::Null);
        let time = text(invocation, "endTimeUtc").or_else(|| text(invocation, "startTimeUtc"));
        let provenance = list(value, "versionControlProvenance").first().unwrap_or(&Value::Null);
        Ok(Self {
            value,
            tool: word(text(driver, "name").ok_or("no tool name")?),
            version: text(driver, "semanticVersion").or_else(|| text(driver, "version")),
            rules: list(driver, "rules"),
            columns: match text(value, "columnKind") {
                Some("unicodeCodePoints") => ColumnUnit::Characters,
                _ => ColumnUnit::Utf16,
            },
            rev: text(provenance, "revisionId").and_then(commit),
            at: time.and_then(rfc3339::read),
            root,
        })
    }

    fn results(&self, report: &mut Report, names: &mut EntryNames, run: usize) {
        // A run without a list of results was cut short, and says nothing about what has vanished.
        if !self.value.get("results").is_some_and(Value::is_array) {
            return;
        }
        report.add_source(&self.tool);
        // What the tool looked at, also where it found nothing.
        for artifact in list(self.value, "artifacts") {
            let location = artifact.get("location").unwrap_or(&Value::Null);
            if let Ok(path) = self.path_of(location) {
                report.cover(&self.tool, &path);
            }
        }
        for (at, result) in list(self.value, "results").iter().enumerate() {
            let name = format!("runs[{run}].results[{at}]");
            let own = result.get("properties").and_then(|properties| properties.get("postil"));
            match own.map(threads::thread) {
                // Only this run counts as complete, not the sources that its threads originally came from.
                Some(Ok(comments)) => report.comments.extend(comments),
                Some(Err(reason)) => report.refuse(name, reason),
                None if is_finding(result) => {
                    let read = self.finding(names, result);
                    report.add(name, read.map(Some));
                }
                None => {}
            }
        }
    }

    fn finding(&self, names: &mut EntryNames, result: &Value) -> Result<ImportedComment, String> {
        let rule = self.rule(result);
        let rule_id = text(result, "ruleId").or_else(|| text(result.get("rule")?, "id"));
        let rule_id = rule_id.or_else(|| text(rule, "id")).map(word);
        let message = message(result, rule).ok_or("no message")?;
        let location = list(result, "locations").first().and_then(|first| first.get("physicalLocation"));
        let location = location.ok_or("no file name")?;
        let path = self.path(location)?;
        let region = location.get("region").unwrap_or(&Value::Null);
        let start_column = number(region, "startColumn")?;
        let span = ReportRegion {
            start_line: number(region, "startLine")?,
            start_column,
            end_line: number(region, "endLine")?,
            end_column: number(region, "endColumn")?,
        };
        let level = text(result, "level").or_else(|| {
            let usual = rule.get("defaultConfiguration")?;
            text(usual, "level")
        });
        let own = own_name(result, rule_id.as_deref().unwrap_or_default(), &path);
        let nameless = own.is_none();
        let name = own.unwrap_or_else(|| {
            fingerprint(&[rule_id.as_deref().unwrap_or_default(), &String::from_utf8_lossy(&path), &message])
        });
        Ok(ImportedComment {
            source: self.tool.clone(),
            id: names.give(&self.tool, name),
            author: person::tool(&self.tool, self.version),
            at: self.at,
            edited: None,
            parent: None,
            review: None,
            place: Some(Place { span: span.span()?, rev: self.rev.clone(), ..Place::file(path) }),
            columns: self.columns,
            expected: expected(region),
            text: message,
            severity: severity(level.unwrap_or("warning")),
            tags: rule_id.iter().map(|rule| format!("{RULE}{rule}")).collect(),
            exported: false,
            nameless,
            message: None,
            verdict: None,
            resolved: None,
            anchored: None,
            blob: None,
            withdrawn: None,
            fix: self.fix(result).unwrap_or_else(|reason| Some(ImportedFix::Unreadable(reason))),
        })
    }

    /// The first fix of a result: replacements in one file or several.
    fn fix(&self, result: &Value) -> Result<Option<ImportedFix>, String> {
        let Some(fix) = list(result, "fixes").first() else { return Ok(None) };
        let mut files = Vec::new();
        for change in list(fix, "artifactChanges") {
            let path = self.path(change)?;
            let replacements: Result<Vec<FixedRegion>, String> =
                list(change, "replacements").iter().map(replacement).collect();
            files.push(FixedFile { path: ByteText::new(path), replacements: replacements? });
        }
        Ok((!files.is_empty()).then_some(ImportedFix::Files(files)))
    }

    fn rule(&self, result: &Value) -> &'a Value {
        let reference = result.get("rule").unwrap_or(&Value::Null);
        let index = result.get("ruleIndex").or_else(|| reference.get("index")).and_then(Value::as_u64);
        let by_index = index.and_then(|index| self.rules.get(usize::try_from(index).ok()?));
        let id = text(result, "ruleId");
        by_index
            .or_else(|| self.rules.iter().find(|rule| id.is_some() && text(rule, "id") == id))
            .unwrap_or(&Value::Null)
    }

    fn path(&self, location: &Value) -> Result<Vec<u8>, String> {
        let artifact = location.get("artifactLocation").ok_or("no file name")?;
        let listed = || {
            let index = usize::try_from(artifact.get("index")?.as_u64()?).ok()?;
            list(self.value, "artifacts").get(index)?.get("location")
        };
        let artifact = if text(artifact, "uri").is_some() { artifact } else { listed().unwrap_or(artifact) };
        self.path_of(artifact)
    }

    fn path_of(&self, artifact: &Value) -> Result<Vec<u8>, String> {
        let uri = text(artifact, "uri").ok_or("no file name")?;
        let base = text(artifact, "uriBaseId").and_then(|base| {
            let bases = self.value.get("originalUriBaseIds")?;
            text(bases.get(base)?, "uri")
        });
        path::read_uri(uri, base, self.root)
    }
}

/// A replacement; what it deletes is told in lines and columns, or in bytes or characters from the start.
fn replacement(value: &Value) -> Result<FixedRegion, String> {
    let region = value.get("deletedRegion").ok_or("a replacement without a region")?;
    let count = |name: &str| region.get(name).and_then(Value::as_u64);
    let part = if let Some(start) = number(region, "startLine")? {
        FilePart::Lines {
            start,
            start_column: number(region, "startColumn")?,
            end: number(region, "endLine")?.unwrap_or(start),
            end_column: number(region, "endColumn")?,
        }
    } else if let Some(offset) = count("charOffset") {
        FilePart::Characters { offset, length: count("charLength").unwrap_or(0) }
    } else if let Some(offset) = count("byteOffset") {
        FilePart::Bytes { offset, length: count("byteLength").unwrap_or(0) }
    } else {
        return Err("a replacement without a region".into());
    };
    let content = |value: Option<&Value>| value?.get("text")?.as_str().map(str::to_owned);
    let inserted = value.get("insertedContent");
    if inserted.is_some_and(|content| content.get("text").is_none() && content.get("binary").is_some()) {
        return Err("a replacement with binary content".into());
    }
    Ok(FixedRegion {
        part,
        deleted: content(region.get("snippet")),
        inserted: content(inserted).unwrap_or_default(),
    })
}

/// Whether a result reports something to look at: not what passed, was suppressed, or has vanished.
fn is_finding(result: &Value) -> bool {
    let kind = text(result, "kind").unwrap_or("fail");
    let suppressed = list(result, "suppressions")
        .iter()
        .any(|suppression| matches!(text(suppression, "status"), None | Some("accepted")));
    matches!(kind, "fail" | "review" | "open" | "informational")
        && text(result, "baselineState") != Some("absent")
        && !suppressed
}

/// The words of a result, with its arguments in their places.
fn message(result: &Value, rule: &Value) -> Option<String> {
    let message = result.get("message")?;
    let by_id = || {
        let strings = rule.get("messageStrings")?;
        let string = strings.get(text(message, "id")?)?;
        text(string, "markdown").or_else(|| text(string, "text"))
    };
    let template = text(message, "markdown").or_else(|| text(message, "text")).or_else(by_id)?;
    let arguments = list(message, "arguments");
    let mut words = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        words.push_str(before);
        let placeholder = behind.split_once('}').and_then(|(number, behind)| {
            Some((arguments.get(number.parse::<usize>().ok()?)?.as_str()?, behind))
        });
        match placeholder {
            Some((argument, behind)) => {
                words.push_str(argument);
                rest = behind;
            }
            None => {
                words.push('{');
                rest = behind;
            }
        }
        // A short template can name a long argument any number of times.
        if words.len() > MAX_MESSAGE_BYTES {
            return None;
        }
    }
    words.push_str(rest);
    Some(words)
}

/// What the tool itself calls the finding from run to run.
fn own_name(result: &Value, rule: &str, path: &[u8]) -> Option<String> {
    let prints = |name: &str| -> Option<String> {
        let prints = result.get(name)?.as_object()?;
        let all = prints.iter().filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?)));
        let all: Vec<String> = all.collect();
        (!all.is_empty()).then(|| all.join(","))
    };
    if let Some(prints) = prints("fingerprints") {
        return Some(fingerprint(&[&prints]));
    }
    if let Some(guid) = text(result, "correlationGuid") {
        return Some(word(guid));
    }
    let path = String::from_utf8_lossy(path);
    prints("partialFingerprints").map(|prints| fingerprint(&[rule, &path, &prints]))
}

/// What the tool saw in the first line of the region.
fn expected(region: &Value) -> Option<Expected> {
    let snippet = text(region.get("snippet")?, "text")?;
    let line = snippet.lines().next()?.trim();
    (!line.is_empty()).then(|| Expected { line: line.to_owned(), before: None, after: None, part: true })
}

fn severity(level: &str) -> Option<SeverityView> {
    match level {
        "error" => Some(SeverityView::Blocker),
        "warning" => Some(SeverityView::Issue),
        "note" => Some(SeverityView::Note),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(results: &str) -> Report {
        let log = format!(
            r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"Lint","version":"v1","semanticVersion":"1.2.0","rules":[
                {{"id":"R1","messageStrings":{{"d":{{"text":"'{{0}}' is never {{1}}"}}}},"defaultConfiguration":{{"level":"error"}}}}]}}}},
                "originalUriBaseIds":{{"SRC":{{"uri":"file:///r/src/"}}}},
                "artifacts":[{{"location":{{"uri":"listed.rs"}}}}],
                "invocations":[{{"endTimeUtc":"2025-10-17T10:00:00Z"}}],"results":[{results}]}}]}}"#
        );
        sarif(log.as_bytes(), Some(b"/r")).unwrap()
    }

    fn at(uri: &str, region: &str) -> String {
        format!(r#""locations":[{{"physicalLocation":{{"artifactLocation":{uri},"region":{region}}}}}]"#)
    }

    #[test]
    fn a_result_is_read_with_its_rule_its_place_and_its_time() {
        let place = at(
            r#"{"uri":"a.rs","uriBaseId":"SRC"}"#,
            r#"{"startLine":3,"startColumn":5,"endColumn":9,"snippet":{"text":"  let x = 1;\n"}}"#,
        );
        let report =
            run(&format!(r#"{{"ruleIndex":0,"message":{{"id":"d","arguments":["x","used"]}},{place}}}"#));
        let [finding] = report.comments.as_slice() else { panic!("{report:?}") };
        assert_eq!(finding.text, "'x' is never used");
        assert_eq!((finding.source.as_str(), finding.tags.as_slice()), ("Lint", &["rule:R1".to_owned()][..]));
        let via = finding.author.via.as_ref().expect("a tool is named as one");
        assert_eq!((via.kind.as_str(), via.program.as_str()), ("tool", "Lint"));
        assert_eq!((via.version.as_deref(), &via.person), (Some("1.2.0"), &None));
        assert_eq!(finding.severity, Some(SeverityView::Blocker));
        assert_eq!((finding.at, finding.columns), (Some(1_760_695_200_000), ColumnUnit::Utf16));
        let place = finding.place.as_ref().unwrap();
        assert_eq!(place.path.as_bytes(), b"src/a.rs");
        let span = place.span.unwrap();
        assert_eq!((span.start, span.start_column, span.end_column), (3, Some(5), Some(8)));
        assert_eq!(finding.expected.as_ref().unwrap().line, "let x = 1;");
    }

    #[test]
    fn what_is_no_finding_is_left_out_and_what_is_wrong_is_refused_by_itself() {
        let good = at(r#"{"index":0}"#, "{}");
        let report = run(&[
            format!(r#"{{"message":{{"text":"one"}},{good}}}"#),
            format!(r#"{{"message":{{"text":"passed"}},"kind":"pass",{good}}}"#),
            format!(r#"{{"message":{{"text":"old"}},"baselineState":"absent",{good}}}"#),
            format!(r#"{{"message":{{"text":"hidden"}},"suppressions":[{{"kind":"inSource"}}],{good}}}"#),
            format!(r#"{{"message":{{"text":"x"}},{}}}"#, at(r#"{"uri":"../../etc/passwd"}"#, "{}")),
            format!(r#"{{"message":{{"text":"x"}},{}}}"#, at(r#"{"uri":"%2Egit/hooks/x"}"#, "{}")),
            format!(r#"{{"message":{{"text":"x"}},{}}}"#, at(r#"{"uri":"a"}"#, r#"{"startLine":1e99}"#)),
            format!(
                r#"{{"message":{{"text":"x"}},{}}}"#,
                at(r#"{"uri":"a"}"#, r#"{"startLine":5,"endLine":2}"#)
            ),
            r#"{"message":{"text":"nowhere"}}"#.to_owned(),
            "null".to_owned(),
        ]
        .join(","));
        let texts: Vec<&str> = report.comments.iter().map(|comment| comment.text.as_str()).collect();
        assert_eq!(texts, ["one"]);
        assert_eq!(report.refused.len(), 6, "{:?}", report.refused);
        assert_eq!(report.refused[0].id, "runs[0].results[4]");
    }

    #[test]
    fn the_first_fix_is_read_with_all_its_files_or_not_at_all() {
        let fixed = |fixes: &str| {
            let place = at(r#"{"uri":"a.rs"}"#, r#"{"startLine":1}"#);
            let report = run(&format!(r#"{{"message":{{"text":"m"}},"fixes":{fixes},{place}}}"#));
            report.comments[0].fix.clone()
        };
        let change = |uri: &str, replacements: &str| {
            format!(r#"{{"artifactLocation":{{"uri":"{uri}"}},"replacements":[{replacements}]}}"#)
        };
        let lines = r#"{"deletedRegion":{"startLine":2,"startColumn":3,"endColumn":5,"snippet":{"text":"ab"}},"insertedContent":{"text":"c"}}"#;
        let bytes = r#"{"deletedRegion":{"byteOffset":4,"byteLength":2}}"#;
        let characters =
            r#"{"deletedRegion":{"charOffset":7,"charLength":0},"insertedContent":{"text":"d"}}"#;
        let (one, two) = (change("a.rs", &format!("{lines},{bytes}")), change("b.rs", characters));
        let both = fixed(&format!(r#"[{{"artifactChanges":[{one},{two}]}},{{"artifactChanges":[{two}]}}]"#));
        let Some(ImportedFix::Files(files)) = both else { panic!("{both:?}") };
        assert_eq!((files.len(), files[1].path.as_bytes()), (2, &b"b.rs"[..]));
        let [lines, bytes] = files[0].replacements.as_slice() else { panic!("{files:?}") };
        let part = FilePart::Lines { start: 2, start_column: Some(3), end: 2, end_column: Some(5) };
        assert_eq!((lines.part, lines.deleted.as_deref(), lines.inserted.as_str()), (part, Some("ab"), "c"));
        assert_eq!((bytes.part, bytes.inserted.as_str()), (FilePart::Bytes { offset: 4, length: 2 }, ""));
        assert_eq!(files[1].replacements[0].part, FilePart::Characters { offset: 7, length: 0 });
        let binary = r#"{"deletedRegion":{"startLine":1},"insertedContent":{"binary":"AA=="}}"#;
        for bad in [change("../../x", characters), change("a.rs", "{}"), change("a.rs", binary), "7".into()] {
            let fix = fixed(&format!(r#"[{{"artifactChanges":[{one},{bad}]}}]"#));
            assert!(matches!(fix, Some(ImportedFix::Unreadable(_))), "{bad}: {fix:?}");
        }
        assert_eq!(fixed("[]"), None);
        assert_eq!(fixed("7"), None);
    }

    #[test]
    fn names_are_the_tools_own_or_do_not_depend_on_lines() {
        let with = |extra: &str, line: u32| {
            let place = at(r#"{"uri":"a"}"#, &format!(r#"{{"startLine":{line}}}"#));
            run(&format!(r#"{{"message":{{"text":"m"}},"ruleId":"R",{extra}{place}}}"#)).comments[0]
                .id
                .clone()
        };
        assert_eq!(with("", 1), with("", 90));
        assert_eq!(with(r#""correlationGuid":"g-1","#, 1), "g-1");
        assert_ne!(
            with(r#""partialFingerprints":{"h":"1"},"#, 1),
            with(r#""partialFingerprints":{"h":"2"},"#, 1)
        );
    }

    #[test]
    fn other_files_are_told_from_sarif() {
        for other in ["{}", "[]", r#"{"version":"1.0","runs":[]}"#, "x", &"[".repeat(100_000)] {
            assert!(sarif(other.as_bytes(), None).is_err());
        }
    }
}
