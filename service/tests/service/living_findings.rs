//! Findings that are reported again and again while the code changes: each stays one thread.
//!
//! `POSTIL_FINDING_HISTORIES=40` plays so many histories of each kind instead of three.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use postil_core::notes::refs;
use postil_protocol::{
    ByteText, Hex, Import, ImportReply, ImportedFile, List, ReplyTo, Resolve, Scope, SeverityView, Show,
    ThreadStatus, ThreadView,
};
use postil_testkit::damage::take_in;
use postil_testkit::{Checkout, Dice, Sandbox};

use crate::asker::{Asker, service};

/// So often something is pushed and reported.
const PUSHES: u32 = 20;

/// A finding of a report.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    path: String,
    line: u32,
    rule: String,
    text: String,
    level: &'static str,
    own: Option<String>,
}

impl Finding {
    fn at(path: &str, line: u32, text: &str) -> Self {
        let (path, rule, text) = (path.to_owned(), "R1".to_owned(), text.to_owned());
        Self { path, line, rule, text, level: "warning", own: None }
    }
}

fn sarif(findings: &[Finding], looked_at: &[&str]) -> String {
    let result = |finding: &Finding| {
        let Finding { path, line, rule, text, level, own } = finding;
        let own = own.as_ref().map(|own| format!(r#""fingerprints":{{"f":"{own}"}},"#)).unwrap_or_default();
        format!(
            r#"{{"ruleId":"{rule}","level":"{level}",{own}"message":{{"text":"{text}"}},"locations":[{{"physicalLocation":{{"artifactLocation":{{"uri":"{path}"}},"region":{{"startLine":{line}}}}}}}]}}"#
        )
    };
    let results: Vec<String> = findings.iter().map(result).collect();
    let artifact = |path: &&str| format!(r#"{{"location":{{"uri":"{path}"}}}}"#);
    let artifacts: Vec<String> = looked_at.iter().map(artifact).collect();
    format!(
        r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"lint"}}}},"artifacts":[{}],"results":[{}]}}]}}"#,
        artifacts.join(","),
        results.join(",")
    )
}

fn report(content: &str) -> Import {
    let (name, content) = ("report".to_owned(), ByteText::from(content));
    Import { files: vec![ImportedFile { format: None, name, content, about: None }], ..Import::default() }
}

fn retiring(findings: &[Finding], looked_at: &[&str]) -> Import {
    Import { retire: true, ..report(&sarif(findings, looked_at)) }
}

fn all(asker: &Asker<'_>) -> Vec<ThreadView> {
    asker.ask(List { scope: Scope::All, ..List::default() }).threads
}

fn shown(asker: &Asker<'_>, id: &Hex) -> ThreadView {
    asker.ask(Show { of: id.to_string(), ..Show::default() }).thread
}

/// A line of a file, and the finding in it, by its number.
#[derive(Clone, Debug)]
struct CodeLine {
    indent: usize,
    words: Vec<String>,
    spaced: bool,
    finding: Option<usize>,
}

impl CodeLine {
    fn text(&self) -> String {
        let gap = if self.spaced { "  " } else { " " };
        format!("{}{}", if self.spaced { "\t" } else { "    " }.repeat(self.indent), self.words.join(gap))
    }
}

/// Functions of a file, and what is known about its findings.
struct History {
    dice: Dice,
    files: BTreeMap<String, Vec<Vec<CodeLine>>>,
    next: usize,
    names: usize,
    wording: BTreeMap<usize, u64>,
}

impl History {
    fn new(seed: u64) -> Self {
        let (dice, files) = (Dice::new(seed), BTreeMap::new());
        let mut history = Self { dice, files, next: 0, names: 0, wording: BTreeMap::new() };
        for file in ["src/one.rs", "src/two.rs"] {
            let functions = (0..8).map(|_| history.function()).collect();
            history.files.insert(file.into(), functions);
        }
        history
    }

    fn function(&mut self) -> Vec<CodeLine> {
        self.names += 1;
        let plain = |indent, text: String| CodeLine {
            indent,
            words: text.split(' ').map(str::to_owned).collect(),
            spaced: false,
            finding: None,
        };
        let mut lines = vec![plain(0, format!("fn work_{}(input: u32) -> u32 {{", self.names))];
        for _ in 0..6 + self.dice.below(5) {
            lines.push(self.line());
        }
        // In some functions one line is there twice, and reported twice.
        if self.dice.below(3) == 0 {
            for _ in 0..2 {
                self.next += 1;
                lines.push(CodeLine {
                    finding: Some(self.next),
                    ..plain(1, "let again = input.unwrap();".into())
                });
                lines.push(self.line());
            }
        }
        lines.push(plain(0, "}".into()));
        lines
    }

    fn line(&mut self) -> CodeLine {
        self.names += 1;
        let (name, number) = (self.names, self.dice.below(900));
        let finding = (self.dice.below(4) == 0).then(|| {
            self.next += 1;
            self.next
        });
        let words =
            format!("let value_{name} = input.checked_add( {number} ).unwrap() + other_{};", name % 7);
        CodeLine { indent: 1, words: words.split(' ').map(str::to_owned).collect(), spaced: false, finding }
    }

    /// What one push changes.
    fn push(&mut self) {
        let paths: Vec<String> = self.files.keys().cloned().collect();
        for path in paths {
            for _ in 0..3 {
                let mut functions = self.files.remove(&path).unwrap();
                let at = self.dice.index(functions.len());
                match self.dice.below(8) {
                    // Something new above, and a function elsewhere in the file.
                    0 => functions.insert(at, self.function()),
                    1 => {
                        let moved = functions.remove(at);
                        let to = self.dice.index(functions.len() + 1);
                        functions.insert(to, moved);
                    }
                    // A formatter passes.
                    2 => functions[at].iter_mut().for_each(|line| line.spaced = !line.spaced),
                    // Lines come and go.
                    3 | 4 => {
                        let line = 1 + self.dice.index(functions[at].len() - 2);
                        let new = self.line();
                        functions[at].insert(line, new);
                    }
                    5 => {
                        let line = 1 + self.dice.index(functions[at].len() - 2);
                        if functions[at].len() > 5 {
                            functions[at].remove(line);
                        }
                    }
                    // A name in a line with a finding is another one.
                    6 => {
                        self.names += 1;
                        let found = functions[at]
                            .iter_mut()
                            .find(|line| line.finding.is_some() && line.words.len() > 4);
                        if let Some(line) = found {
                            line.words[1] = format!("renamed_{}", self.names);
                        }
                    }
                    // A finding is fixed.
                    _ => {
                        let found = functions[at].iter_mut().find(|line| line.finding.is_some());
                        if let Some(line) = found {
                            line.finding = None;
                            line.words = vec![
                                "let".into(),
                                format!("safe_{}", self.names),
                                "=".into(),
                                "input;".into(),
                            ];
                        }
                    }
                }
                self.files.insert(path.clone(), functions);
            }
        }
        // The tool finds other words for a third of what it says.
        for finding in 1..=self.next {
            if self.dice.below(3) == 0 {
                *self.wording.entry(finding).or_default() += 1;
            }
        }
    }

    fn text(&self, path: &str) -> String {
        let mut text = String::from("// a file\n");
        for line in self.files[path].iter().flatten() {
            let _ = writeln!(text, "{}", line.text());
        }
        text
    }

    /// What is reported, each with the number of the finding.
    fn findings(&self, own: bool) -> Vec<(usize, Finding)> {
        let mut found = Vec::new();
        for (path, functions) in &self.files {
            for (line, there) in (2..).zip(functions.iter().flatten()) {
                let Some(number) = there.finding else { continue };
                let version = self.wording.get(&number).copied().unwrap_or_default();
                let text = format!(
                    "[{number}] {}",
                    ["panics on none", "may abort here", "use a default"][version as usize % 3]
                );
                let own = own.then(|| format!("id-{number}"));
                found.push((number, Finding { own, ..Finding::at(path, line, &text) }));
            }
        }
        found
    }
}

#[derive(Debug, Default)]
struct Outcome {
    findings: usize,
    doubled: usize,
    merged: usize,
    closed_wrongly: usize,
}

/// Plays a history whose truth is known.
fn play(seed: u64, own: bool) -> Outcome {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.git(&["switch", "-q", "-c", "topic"]);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let mut history = History::new(seed);
    let mut outcome = Outcome::default();
    // The finding that each thread was begun for.
    let mut begun: BTreeMap<String, usize> = BTreeMap::new();
    for push in 0..PUSHES {
        if push > 0 {
            history.push();
        }
        for path in ["src/one.rs", "src/two.rs"] {
            repo.write(path, history.text(path));
        }
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-q", "--allow-empty", "-m", &format!("push {push}")]);
        let truth = history.findings(own);
        let told: Vec<Finding> = truth.iter().map(|(_, finding)| finding.clone()).collect();
        let reply = ann.ask(retiring(&told, &["src/one.rs", "src/two.rs"]));
        assert!(reply.refused.is_empty(), "{reply:?}");
        let added: BTreeSet<String> = reply.added.iter().map(ToString::to_string).collect();
        let numbers: BTreeSet<usize> = truth.iter().map(|(number, _)| *number).collect();
        for thread in all(&ann) {
            let number: usize =
                thread.comments[0].text.trim_start_matches('[').split(']').next().unwrap().parse().unwrap();
            let id = thread.id.to_string();
            if added.contains(&id) {
                outcome.findings += 1;
                let is_double = begun.values().any(|other| *other == number);
                if is_double {
                    println!(
                        "seed {seed}, push {push}: double {} {:?}",
                        thread.comments[0].text, thread.position
                    );
                }
                outcome.doubled += usize::from(is_double);
                begun.insert(id, number);
            } else if thread.status == ThreadStatus::Open && begun[&id] != number {
                // It says now what another finding says.
                let at = thread.position.as_ref().map(|place| (&place.reason, place.start));
                println!("seed {seed}, push {push}: {} said {}: {at:?}", thread.comments[0].text, begun[&id]);
                outcome.merged += 1;
                begun.insert(id, number);
            } else if thread.status == ThreadStatus::Resolved && numbers.contains(&number) {
                let has_other = all(&ann).iter().any(|other| {
                    other.status == ThreadStatus::Open
                        && other.comments[0].text.starts_with(&format!("[{number}]"))
                });
                outcome.closed_wrongly += usize::from(!has_other);
            }
        }
    }
    outcome
}

/// How many histories are played: few unless a variable says otherwise.
fn histories() -> u64 {
    std::env::var("POSTIL_FINDING_HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(3)
}

#[test]
fn over_twenty_pushes_nothing_is_doubled_with_a_key_and_hardly_anything_without() {
    let mut sums = Vec::new();
    for own in [true, false] {
        let mut sum = Outcome::default();
        for seed in 1..=histories() {
            let Outcome { findings, doubled, merged, closed_wrongly } = play(seed, own);
            sum.findings += findings;
            sum.doubled += doubled;
            sum.merged += merged;
            sum.closed_wrongly += closed_wrongly;
        }
        println!("with a key: {own}: {sum:?}");
        let most = if own { 0 } else { sum.findings * 2 / 100 };
        sums.push((sum, most));
    }
    for (sum, most) in sums {
        assert!(sum.findings > 100 && sum.doubled <= most, "{sum:?}");
        assert_eq!((sum.merged, sum.closed_wrongly), (0, 0), "{sum:?}");
    }
}

const FILE: &str = "fn a(x: u8) -> u8 {\n    let y = x + 1;\n    y\n}\n\nfn b(x: u8) -> u8 {\n    x * 2\n}\n";

/// A branch with a file that has something to find in lines 2 and 7.
fn code(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = sandbox.repo("repo");
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit("a.rs", FILE);
    repo
}

fn two() -> [Finding; 2] {
    [Finding::at("a.rs", 2, "may overflow"), Finding::at("a.rs", 7, "may overflow too")]
}

#[test]
fn five_clones_that_import_one_report_at_five_heads_have_one_thread_each_way_they_sync() {
    let sandbox = Sandbox::in_memory();
    let repo = code(&sandbox);
    let mut clones = Vec::new();
    for nth in 0..5 {
        let clone = sandbox.copy_beside(&repo, &format!("clone{nth}"));
        for above in 0..nth {
            clone.commit("a.rs", &format!("{}{FILE}", "// more\n".repeat(above + 1)));
        }
        clones.push((clone, nth as u32));
    }
    let service = service();
    for (clone, nth) in &clones {
        let asker = Asker::new(&service, "ann", &clone.dir);
        let moved = two().map(|finding| Finding { line: finding.line + nth, ..finding });
        assert_eq!(asker.ask(report(&sarif(&moved, &[]))).added.len(), 2);
    }
    // A person answers in one of them, and another one decides in another.
    let (first, last) = (&clones[0].0, &clones[4].0);
    let ben = Asker::new(&service, "ben", &first.dir);
    let to = all(&ben)[0].id.to_string();
    ben.ask(ReplyTo { to, text: "really?".into(), suggestion: None, draft: false, resolve: false });
    let cat = Asker::new(&service, "cat", &last.dir);
    let of = all(&cat)[1].id.to_string();
    cat.ask(Resolve { threads: vec![of], reason: Some("meant so".into()), by: None });
    for (from, to) in [(1, 0), (2, 3), (4, 3), (3, 0)] {
        take_in(&clones[to].0, &clones[from].0);
    }
    for (clone, _) in &clones[1..5] {
        take_in(clone, first);
    }
    let tips: BTreeSet<_> = clones.iter().map(|(clone, _)| clone.commit_id(refs::NOTES)).collect();
    assert_eq!(tips.len(), 1);
    let mut seen = BTreeSet::new();
    for (clone, nth) in &clones {
        let asker = Asker::new(&service, "ann", &clone.dir);
        let threads = all(&asker);
        assert_eq!(threads.len(), 2, "one thread for each finding");
        assert_eq!(threads[0].position.as_ref().and_then(|place| place.start), Some(2 + nth));
        assert_eq!((threads[0].replies, threads[0].copies.len()), (1, 4));
        assert_eq!(threads[1].status, ThreadStatus::Resolved);
        // Each name of it leads to it.
        for copy in &threads[0].copies {
            assert_eq!(shown(&asker, copy).id, threads[0].id);
        }
        seen.insert(threads.iter().map(|thread| thread.id.clone()).collect::<Vec<_>>());
        let moved = two().map(|finding| Finding { line: finding.line + nth, ..finding });
        let again = asker.ask(report(&sarif(&moved, &[])));
        assert_eq!((again.added.len(), again.known), (0, 2));
    }
    assert_eq!(seen.len(), 1, "the same ones everywhere");
}

#[test]
fn one_name_in_two_reports_of_a_tool_is_two_findings_unless_they_are_equal() {
    let sandbox = Sandbox::in_memory();
    let repo = code(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let named = two().map(|finding| Finding { own: Some("same".into()), ..finding });
    let import = |parts: &[&[Finding]]| {
        let files = parts.iter().flat_map(|part| report(&sarif(part, &[])).files).collect();
        ann.ask(Import { files, ..Import::default() })
    };
    let reply = import(&[&named[..1], &named[1..], &named[..1]]);
    assert_eq!((reply.added.len(), reply.known), (2, 1));
    let reworded = named.map(|finding| Finding { text: format!("again: {}", finding.text), ..finding });
    for changed in [2, 0] {
        let reply = import(&[&reworded[..1], &reworded[1..]]);
        assert_eq!((reply.added.len(), reply.known, reply.changed), (0, 2, changed));
    }
}

#[test]
fn new_words_are_an_edit_and_an_older_report_changes_nothing() {
    let sandbox = Sandbox::in_memory();
    let repo = code(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let id = ann.ask(report(&sarif(&two()[..1], &[]))).added[0].clone();
    let reworded = Finding::at("a.rs", 2, "the sum is not bounded");
    let reply = ann.ask(report(&sarif(std::slice::from_ref(&reworded), &[])));
    assert_eq!((reply.added.len(), reply.known, reply.changed), (0, 1, 1));
    let thread = shown(&ann, &id);
    assert_eq!(thread.comments[0].text, "the sum is not bounded");
    assert!(thread.comments[0].edited.is_some());
    let again = ann.ask(report(&sarif(&[reworded], &[])));
    assert_eq!((again.known, again.changed, again.notes.is_some()), (1, 0, true));
}

#[test]
fn a_thread_is_retired_only_if_the_report_covers_its_file_and_its_lines_have_changed() {
    let sandbox = Sandbox::in_memory();
    let repo = code(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let added = ann.ask(report(&sarif(&two(), &[]))).added;
    let outcome = |import: Import| {
        let ImportReply { retired, absent, .. } = ann.ask(import);
        (retired, absent)
    };
    // It is absent, and its lines are the same.
    assert_eq!(outcome(retiring(&[], &["a.rs"])), (vec![], 2));
    repo.commit("a.rs", &FILE.replace("x + 1", "x.saturating_add(1)"));
    assert_eq!(outcome(retiring(&[], &["b.rs"])), (vec![], 2), "another file was looked at");
    assert_eq!(outcome(retiring(&[], &["a.rs"])), (vec![added[0].clone()], 1));
    let thread = shown(&ann, &added[0]);
    assert_eq!(thread.status, ThreadStatus::Resolved);
    assert_eq!(thread.status_by.unwrap().source.as_deref(), Some("lint"), "retired, not resolved");
    // The line is there again, and so is the finding.
    repo.commit("a.rs", FILE);
    assert_eq!(ann.ask(retiring(&two(), &["a.rs"])).reopened, [added[0].clone()]);
    // Somebody answered: people settle that.
    let (to, text) = (added[0].to_string(), "no".to_owned());
    ann.ask(ReplyTo { to, text, suggestion: None, draft: false, resolve: false });
    repo.commit("a.rs", "fn c() {}\n");
    assert_eq!(outcome(retiring(&[], &["a.rs"])).0, [added[1].clone()]);
}

#[test]
fn what_is_covered_and_how_often_it_may_be_absent_is_up_to_who_imports() {
    let sandbox = Sandbox::in_memory();
    let repo = code(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let added = ann.ask(report(&sarif(&two(), &[]))).added;
    let asked = || Import { covers: vec![":/".into()], absent: Some(2), ..retiring(&two()[1..], &[]) };
    assert_eq!(ann.ask(asked()).retired, []);
    assert_eq!(ann.ask(asked()).retired, [], "the same commit counts once");
    repo.commit("b.rs", "fn c() {}\n");
    assert_eq!(ann.ask(asked()).retired, [added[0].clone()]);
    // A report about another commit says nothing about this one.
    let older = repo.git(&["rev-parse", "HEAD~2"]);
    repo.commit("a.rs", "fn c() {}\n");
    let other = sarif(&[], &["a.rs"]).replace(
        r#""artifacts""#,
        &format!(
            r#""versionControlProvenance":[{{"repositoryUri":"x","revisionId":"{older}"}}],"artifacts""#
        ),
    );
    let reply = ann.ask(Import { retire: true, ..report(&other) });
    assert_eq!(reply.retired, [added[1].clone()], "a run without results names no commit of its own");
}

#[test]
fn what_a_person_dismissed_is_asked_again_once_if_its_lines_change_or_it_is_more_severe() {
    let sandbox = Sandbox::in_memory();
    let repo = code(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let added = ann.ask(report(&sarif(&two(), &[]))).added;
    let threads: Vec<String> = added.iter().map(ToString::to_string).collect();
    ann.ask(Resolve { threads: threads.clone(), reason: Some("meant so".into()), by: None });
    let moved = |findings: [Finding; 2]| {
        findings.map(|one| Finding { line: one.line + 1, text: "reworded".into(), ..one })
    };
    repo.commit("a.rs", &format!("// more\n{FILE}"));
    let reply = ann.ask(report(&sarif(&moved(two()), &[])));
    assert_eq!((reply.added.len(), reply.known), (0, 2), "moved and reworded, and still dismissed");
    // One line changes, and the other finding is more severe.
    repo.commit("a.rs", &format!("// more\n{}", FILE.replace("x + 1", "x + 17")));
    let mut worse = moved(two());
    worse[1].level = "error";
    let reply = ann.ask(report(&sarif(&worse, &[])));
    assert_eq!((reply.added.len(), reply.again.len()), (2, 2));
    let again: Vec<ThreadView> = reply.again.iter().map(|id| shown(&ann, id)).collect();
    let text = |thread: &ThreadView| thread.comments[0].text.clone();
    let lines = again.iter().find(|thread| text(thread).contains("lines have changed")).unwrap();
    assert!(
        text(lines).contains(&threads[0][..12]) && text(lines).starts_with("reworded\n"),
        "{}",
        text(lines)
    );
    let severe = again.iter().find(|thread| text(thread).contains("more severe")).unwrap();
    assert_eq!(severe.severity, Some(SeverityView::Blocker));
    for _ in 0..2 {
        let once = ann.ask(report(&sarif(&worse, &[])));
        assert_eq!((once.added.len(), once.known, once.changed), (0, 2, 0), "once");
    }
    let again: Vec<String> = again.iter().map(|thread| thread.id.to_string()).collect();
    ann.ask(Resolve { threads: again, reason: None, by: None });
    assert_eq!(ann.ask(report(&sarif(&worse, &[]))).added, []);
    assert!(all(&ann).iter().all(|thread| thread.status == ThreadStatus::Resolved));
}

#[test]
fn the_most_severe_become_threads_and_one_comment_counts_the_rest() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 40);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 40, "this opens the review");
    let levels = ["note", "warning", "error"];
    let found = |count: usize| -> Vec<Finding> {
        let one = |nth: usize| Finding {
            level: levels[nth % 3],
            ..Finding::at("a.txt", 1 + nth as u32, &format!("finding {nth}"))
        };
        (0..count).map(one).collect()
    };
    let capped = |count: usize| Import { max: Some(5), ..report(&sarif(&found(count), &[])) };
    let reply = ann.ask(capped(12));
    assert_eq!((reply.added.len(), reply.left_out), (6, 7));
    let rest = || all(&ann).into_iter().filter(|thread| thread.position.is_none()).collect::<Vec<_>>();
    let text = "7 more findings are reported by lint and not shown: 3 issue, 4 note.";
    assert_eq!(rest()[0].comments[0].text, text);
    let severities: Vec<_> = all(&ann).iter().filter_map(|thread| thread.severity.clone()).collect();
    assert_eq!(severities.iter().filter(|severity| **severity == SeverityView::Blocker).count(), 4);
    let again = ann.ask(capped(15));
    assert_eq!((again.added.len(), again.changed, again.left_out), (0, 1, 10));
    assert_eq!(rest().len(), 1);
    assert!(rest()[0].comments[0].text.starts_with("10 more"));
    let few = Import { retire: true, ..capped(3) };
    assert_eq!(ann.ask(few).left_out, 0);
    assert_eq!(rest()[0].status, ThreadStatus::Resolved);
    assert_eq!(ann.ask(capped(15)).reopened, [rest()[0].id.clone()]);
    let whole = Import { max: None, ..capped(15) };
    assert_eq!(ann.ask(whole).left_out, 0);
    assert_eq!(rest()[0].status, ThreadStatus::Resolved, "all are shown");
}

#[test]
fn a_review_of_codex_becomes_threads_and_a_comment_that_is_no_verdict() {
    let sandbox = Sandbox::in_memory();
    let repo = code(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let review = |title: &str, overall: &str| {
        report(&format!(
            r#"{{"findings":[{{"title":"[P0] {title}","body":"It wraps.","confidence_score":0.9,"priority":0,"code_location":{{"absolute_file_path":"a.rs","line_range":{{"start":2,"end":2}}}}}}],"overall_correctness":"{overall}","overall_explanation":"The sum.","overall_confidence_score":0.8}}"#
        ))
    };
    let reply = ann.ask(review("The sum wraps around", "patch is incorrect"));
    assert_eq!((reply.added.len(), reply.refused.len()), (2, 0), "{reply:?}");
    let threads = all(&ann);
    let opinion = threads.iter().find(|thread| thread.position.is_none()).unwrap();
    assert_eq!(opinion.comments[0].text, "patch is incorrect (confidence 0.80)\n\nThe sum.");
    assert!(threads.iter().all(|thread| thread.review.is_some() && thread.review == opinion.review));
    let reply = ann.ask(review("Bound the sum, it wraps", "patch is correct"));
    assert_eq!((reply.added.len(), reply.changed), (0, 2), "both have new words");
    assert_eq!(all(&ann).len(), 2);
    let other = ann.ask(review("This name says nothing", "patch is correct").clone());
    assert_eq!(other.added.len(), 1, "something else about the same line");
}
