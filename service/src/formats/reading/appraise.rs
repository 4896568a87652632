//! The notes of git-appraise: requests in `refs/notes/devtools/reviews`, what was said in `refs/notes/devtools/discuss`.
//!
//! A note is lines of JSON, and a comment's name is the SHA-1 of its line. What continuous integration and analyses
//! wrote is not taken over.

use std::collections::{BTreeMap, BTreeSet};

use gix::hash::Kind;
use postil_protocol::{
    ByteText, ColumnUnit, ImportedComment, ImportedResolution, ImportedReview, Place, ReviewStatus, Verdict,
};
use serde_json::Value;

use super::super::field::{commit, number, parse, text};
use super::super::region::ReportRegion;
use super::super::report::Report;
use super::super::{path, person};

/// Everything that comes from here has this source.
const SOURCE: &str = "appraise";

/// The notes of one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The note with requests for a review.
    pub requests: Vec<u8>,
    /// The note with what was said.
    pub discussion: Vec<u8>,
}

/// Reads notes by the commits that carry them.
pub fn read(notes: &BTreeMap<String, Notes>) -> Report {
    let mut report = Report::default();
    report.add_source(SOURCE);
    for (revision, notes) in notes {
        let Some(head) = commit(revision) else { continue };
        let review = request(&head, &notes.requests);
        let review_id = review.as_ref().map(|review| review.id.clone());
        report.reviews.extend(review);
        Discussion::read(&mut report, &head, &notes.discussion).add_source(&mut report, review_id.as_deref());
    }
    report
}

/// The last request for a review of a commit counts, as in git-appraise itself.
fn request(head: &str, note: &[u8]) -> Option<ImportedReview> {
    let requests = lines(note).filter_map(|(_, line)| parse(line).ok()).filter(Value::is_object);
    let request = requests.max_by_key(|request| seconds(request).unwrap_or(0))?;
    let field = |name: &str| text(&request, name);
    let description = field("description").unwrap_or_default();
    let (title, rest) = description.split_once('\n').unwrap_or((description, ""));
    let target = field("targetRef");
    Some(ImportedReview {
        id: head.to_owned(),
        author: person::read(field("requester").unwrap_or_default()),
        at: seconds(&request).map(|seconds| seconds.saturating_mul(1000)),
        title: if title.trim().is_empty() {
            head.chars().take(12).collect()
        } else {
            title.trim().to_owned()
        },
        description: rest.trim().to_owned(),
        branch: ByteText::new(field("reviewRef").unwrap_or_default()),
        base: ByteText::new(target.unwrap_or_default()),
        base_commit: field("baseCommit").and_then(commit),
        head: head.to_owned(),
        // A review without a target was abandoned.
        status: target.is_none().then_some(ReviewStatus::Closed),
    })
}

/// One comment, as its line has it.
struct AppraiseComment {
    value: Value,
    at: Option<u64>,
    parent: Option<String>,
}

/// What was said about one commit, by the names of comments.
struct Discussion {
    head: String,
    said: BTreeMap<String, AppraiseComment>,
    /// Later words of a comment, the last of which count.
    edits: BTreeMap<String, Vec<AppraiseComment>>,
    order: Vec<String>,
}

impl Discussion {
    fn read(report: &mut Report, head: &str, note: &[u8]) -> Self {
        let (mut said, mut edits, mut order) =
            (BTreeMap::new(), BTreeMap::<_, Vec<AppraiseComment>>::new(), Vec::new());
        for (at, line) in lines(note) {
            let Some(value) = parse(line).ok().filter(Value::is_object) else {
                report.refuse(format!("{head} line {at}"), "not a git-appraise comment");
                continue;
            };
            let name = name_of(line);
            // An early version wrote the field with a capital.
            let parent = text(&value, "parent").or_else(|| text(&value, "Parent")).map(str::to_owned);
            let original = text(&value, "original").map(str::to_owned);
            let one = AppraiseComment {
                at: seconds(&value).map(|seconds| seconds.saturating_mul(1000)),
                parent,
                value,
            };
            match original {
                Some(original) => edits.entry(original).or_default().push(one),
                None if !said.contains_key(&name) => {
                    order.push(name.clone());
                    said.insert(name, one);
                }
                None => {}
            }
        }
        order.sort_by_key(|name| said[name].at);
        Self { head: head.to_owned(), said, edits, order }
    }

    fn add_source(&self, report: &mut Report, review: Option<&str>) {
        let mut done = BTreeSet::new();
        let is_root = |name: &&String| self.parent_of(name).is_none();
        let mut waiting: Vec<&String> = self.order.iter().rev().filter(is_root).collect();
        // Each name is taken once, so that comments that answer each other in a circle end.
        while let Some(name) = waiting.pop() {
            if done.insert(name) {
                report.add(name.clone(), self.comment(name, review).map(Some));
                waiting.extend(self.answers_to(name).rev());
            }
        }
        for name in self.order.iter().filter(|name| !done.contains(name)) {
            report.refuse(name.clone(), "it is a reply to itself");
        }
    }

    fn comment(&self, name: &str, review: Option<&str>) -> Result<ImportedComment, String> {
        let first = &self.said[name];
        let said = self.now(name);
        let last = self.edits.contains_key(name).then_some(said);
        let author = person::read(text(&first.value, "author").unwrap_or_default());
        let parent = self.parent_of(name);
        let place = if parent.is_some() { None } else { self.place(&first.value)? };
        let resolved = said.value.get("resolved").and_then(Value::as_bool);
        let words = text(&said.value, "description").unwrap_or_default().trim();
        let verdict = match resolved {
            Some(true) if place.is_none() && parent.is_none() => Some(Verdict::Approve),
            Some(false) if place.is_none() && parent.is_none() => Some(Verdict::Changes),
            _ => None,
        };
        if review.is_none() && place.is_none() && parent.is_none() {
            return Err(format!("it is about {}, which has no review request", self.head));
        }
        let words = match (words, resolved) {
            ("", Some(true)) if verdict.is_none() => "LGTM",
            ("", Some(false)) if verdict.is_none() => "Needs work",
            (words, _) => words,
        };
        let resolved_by = (parent.is_none() && verdict.is_none()).then(|| self.resolved_by(name)).flatten();
        Ok(ImportedComment {
            exported: false,
            nameless: false,
            message: None,
            source: SOURCE.to_owned(),
            id: name.to_owned(),
            at: first.at,
            edited: last.and_then(|last| last.at),
            parent: parent.map(str::to_owned),
            review: review.map(str::to_owned),
            place,
            columns: ColumnUnit::Bytes,
            expected: None,
            text: words.to_owned(),
            severity: None,
            tags: Vec::new(),
            verdict,
            resolved: resolved_by.map(|by| ImportedResolution {
                author: person::read(text(&by.value, "author").unwrap_or_default()),
                at: by.at,
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

    /// What a comment answers; one that is not here answers nothing.
    fn parent_of(&self, name: &str) -> Option<&str> {
        self.said[name].parent.as_deref().filter(|parent| self.said.contains_key(*parent))
    }

    fn answers_to<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a String> {
        self.order.iter().filter(move |answer| self.parent_of(answer) == Some(name))
    }

    fn place(&self, value: &Value) -> Result<Option<Place>, String> {
        let Some(location) = value.get("location") else { return Ok(None) };
        let Some(name) = text(location, "path") else { return Ok(None) };
        let path = path::read(name, None)?;
        let range = location.get("range").unwrap_or(&Value::Null);
        let start_line = number(range, "startLine")?;
        let end_line = number(range, "endLine")?.filter(|end| start_line.is_some_and(|start| *end >= start));
        let region = ReportRegion { start_line, end_line, ..ReportRegion::default() };
        let rev = text(location, "commit").and_then(commit).unwrap_or_else(|| self.head.clone());
        Ok(Some(Place { span: region.span()?, rev: Some(rev), ..Place::file(path) }))
    }

    /// The last answer that says that a thread is resolved, if none says otherwise; without such answers, its
    /// beginning.
    ///
    /// In git-appraise, a thread is resolved only if its first comment is, and a thread that was answered can
    /// be neither resolved nor unresolved. postil has no word for that: there is nothing left to do, so it
    /// counts as resolved.
    fn resolved_by(&self, name: &str) -> Option<&AppraiseComment> {
        let (mut waiting, mut done) = (vec![name], BTreeSet::from([name]));
        let mut answers = Vec::new();
        while let Some(next) = waiting.pop() {
            let new: Vec<&str> =
                self.answers_to(next).map(String::as_str).filter(|answer| done.insert(answer)).collect();
            answers.extend(new.iter().map(|answer| self.now(answer)));
            waiting.extend(new);
        }
        let is_resolved = |said: &AppraiseComment| said.value.get("resolved").and_then(Value::as_bool);
        let told: Vec<&AppraiseComment> =
            answers.into_iter().filter(|said| is_resolved(said).is_some()).collect();
        if told.iter().any(|said| is_resolved(said) == Some(false)) {
            return None;
        }
        let beginning = Some(self.now(name)).filter(|said| is_resolved(said) == Some(true));
        told.into_iter().max_by_key(|said| said.at).or(beginning)
    }

    /// A comment as it was last edited.
    fn now(&self, name: &str) -> &AppraiseComment {
        let edits = self.edits.get(name).and_then(|edits| edits.iter().max_by_key(|edit| edit.at));
        edits.unwrap_or(&self.said[name])
    }
}

/// The lines that say something, with their numbers.
fn lines(note: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = note.split(|byte| *byte == b'\n').enumerate();
    lines.map(|(at, line)| (at + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

fn seconds(value: &Value) -> Option<u64> {
    text(value, "timestamp")?.parse().ok()
}

/// The SHA-1 of a line, by which answers name it.
fn name_of(line: &[u8]) -> String {
    let mut hasher = gix::hash::hasher(Kind::Sha1);
    hasher.update(line);
    // A line that was made to collide gets a name that nothing answers.
    hasher.try_finalize().map_or_else(|_| "collision".to_owned(), |id| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";

    fn read_notes(requests: &str, discussion: &str) -> Report {
        let notes = Notes { requests: requests.into(), discussion: discussion.into() };
        read(&BTreeMap::from([(HEAD.to_owned(), notes)]))
    }

    const REQUEST: &str = r#"{"timestamp":"1508152342","reviewRef":"refs/heads/topic","targetRef":"refs/heads/master","requester":"ann@example.com","description":"Add it\n\nLong story"}"#;

    #[test]
    fn the_last_request_is_the_review() {
        let later = REQUEST.replace("1508152342", "1508152399").replace("Add it", "Add more");
        let report = read_notes(&format!("{later}\n{REQUEST}\nnonsense\n"), "");
        let [review] = report.reviews.as_slice() else { panic!("{report:?}") };
        assert_eq!((review.title.as_str(), review.description.as_str()), ("Add more", "Long story"));
        assert_eq!((review.at, review.status), (Some(1_508_152_399_000), None));
        let abandoned = read_notes(&REQUEST.replace("refs/heads/master", ""), "");
        assert_eq!(abandoned.reviews[0].status, Some(ReviewStatus::Closed));
    }

    #[test]
    fn comments_answers_edits_and_verdicts_are_told_apart() {
        let root = r#"{"timestamp":"10","author":"bob","location":{"commit":"0123456789abcdef","path":"a.go","range":{"startLine":3}},"description":"why?","resolved":true}"#;
        let name = name_of(root.as_bytes());
        let answer = format!(
            r#"{{"timestamp":"12","author":"ann","Parent":"{name}","description":"so","resolved":true}}"#
        );
        let edit = format!(
            r#"{{"timestamp":"14","author":"bob","original":"{name}","description":"why not?","resolved":true}}"#
        );
        let verdict = r#"{"timestamp":"16","author":"bob","resolved":true}"#;
        let bad =
            r#"{"timestamp":"17","author":"eve","location":{"path":"../../etc/passwd"},"description":"x"}"#;
        let report = read_notes(REQUEST, &[answer.as_str(), root, &edit, verdict, bad, "[]"].join("\n"));
        let [first, second, third] = report.comments.as_slice() else { panic!("{report:?}") };
        assert_eq!((first.text.as_str(), first.at, first.edited), ("why not?", Some(10_000), Some(14_000)));
        assert!(first.resolved.is_some());
        assert_eq!(first.place.as_ref().unwrap().rev.as_deref(), Some("0123456789abcdef"));
        assert_eq!(second.parent.as_deref(), Some(name.as_str()));
        assert_eq!(third.verdict, Some(Verdict::Approve));
        assert_eq!(report.refused.len(), 2, "{:?}", report.refused);
    }

    #[test]
    fn an_answer_resolves_what_it_answers_unless_another_says_otherwise() {
        let root = r#"{"timestamp":"10","author":"bob","location":{"path":"a.go"},"description":"why?"}"#;
        let answer = |at: u32, author: &str, resolved: bool| {
            let name = name_of(root.as_bytes());
            format!(
                r#"{{"timestamp":"{at}","author":"{author}","parent":"{name}","description":"so","resolved":{resolved}}}"#
            )
        };
        let check = |answers: &[String], by: Option<(&str, u64)>| {
            let report = read_notes(REQUEST, &[&[root.to_owned()], answers].concat().join("\n"));
            let resolved = report.comments[0].resolved.as_ref();
            let resolved = resolved.map(|resolved| (resolved.author.name.as_str(), resolved.at.unwrap_or(0)));
            assert_eq!(resolved, by, "{answers:?}");
        };
        check(&[], None);
        check(&[answer(12, "ann", true)], Some(("ann", 12_000)));
        check(&[answer(14, "cat", true), answer(12, "ann", true)], Some(("cat", 14_000)));
        check(&[answer(12, "ann", true), answer(14, "bob", false)], None);
    }

    #[test]
    fn what_answers_itself_is_refused() {
        // A line cannot contain its own SHA-1, so only a missing parent can be tested here.
        let lone = r#"{"timestamp":"1","author":"a","parent":"ffff","description":"x"}"#;
        let report = read_notes(REQUEST, lone);
        assert_eq!(report.comments[0].parent, None);
    }
}
