//! Which findings of a report are threads that are here already.
//!
//! Pure: the findings and the threads of one source in, pairs out; each thread is one finding at most. What names a
//! finding for sure counts first, then where the engine carried the thread to, then what is merely likely. A pair that
//! is wrong hides a finding, one that is missing doubles it: in doubt there is no pair.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::import::finding_key::shared_words;

/// Below this share of their words, in per mille, two texts without a rule are about different things.
const LIKELY_REWORDED: usize = 300;

/// Below this share of their words, in per mille, changed lines are other lines.
const LIKELY_SAME_CODE: usize = 700;

/// Below this share of their lines, in per mille, two places that begin on different lines are different.
const LIKELY_SAME_LINES: u32 = 500;

/// A finding of a report.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportedFinding<'a> {
    /// The rule that it is about.
    pub rule: Option<&'a str>,
    /// What its tool calls it.
    pub own: Option<&'a str>,
    /// The key that is made of its lines.
    pub key: Option<String>,
    /// The key that earlier versions made of its message.
    pub former: Option<&'a str>,
    /// What it says.
    pub text: &'a str,
    /// Where it is: the file, and the first and last line.
    pub place: Option<FindingPlace>,
    /// Its lines without blanks.
    pub lines: String,
    /// The lines of the scopes around them, the same way, the outermost first.
    pub scope: Vec<String>,
}

/// A thread of the source.
#[derive(Clone, Debug)]
pub(crate) struct ReportedThread<'a> {
    /// The rule that it is about.
    pub rule: Option<&'a str>,
    /// Its key.
    pub key: String,
    /// What was decided about it.
    pub standing: Standing,
    /// What it says.
    pub text: &'a str,
    /// Where it is now, if it is seen from here.
    pub place: Option<FindingPlace>,
    /// Whether the lines there are still those that it is about.
    pub is_unchanged: bool,
    /// Whether the engine found them elsewhere than where the diff says.
    pub is_moved: bool,
    /// The file that it was reported in last.
    pub path: &'a [u8],
    /// Its lines without blanks, as they were when it was reported last.
    pub lines: String,
    /// The lines of the scopes around them, the same way, the outermost first.
    pub scope: Vec<String>,
    /// The thread that was dismissed before this one was asked again.
    pub after: Option<usize>,
}

/// A file, and the first and last line in it; none for the whole file.
pub(crate) type FindingPlace = (Vec<u8>, Option<(u32, u32)>);

/// What was decided about a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// Nothing: it is open.
    Open,
    /// Somebody resolved or withdrew it.
    Dismissed,
    /// It was retired.
    Retired,
}

/// The thread of each finding.
pub(crate) fn pair(findings: &[ReportedFinding<'_>], threads: &[ReportedThread<'_>]) -> Vec<Option<usize>> {
    let mut pairs = Pairs {
        findings,
        threads,
        found: vec![None; findings.len()],
        taken: BTreeSet::new(),
        by_key: BTreeMap::new(),
        by_path: BTreeMap::new(),
        next: BTreeMap::new(),
    };
    for (at, thread) in threads.iter().enumerate() {
        pairs.by_key.entry(&thread.key).or_default().push(at);
        if let Some((path, _)) = &thread.place {
            pairs.by_path.entry(path).or_default().push(at);
        }
        if let Some(before) = thread.after {
            pairs.next.entry(before).or_insert(at);
        }
    }
    pairs.by_key(|finding| finding.own);
    pairs.by_place(|thread| thread.is_unchanged && !thread.is_moved);
    pairs.by_words();
    pairs.by_place(|thread| thread.is_unchanged);
    pairs.by_key(|finding| finding.key.as_deref());
    pairs.by_place(|thread| !thread.is_unchanged);
    pairs.by_former_key();
    pairs.found
}

struct Pairs<'a> {
    findings: &'a [ReportedFinding<'a>],
    threads: &'a [ReportedThread<'a>],
    found: Vec<Option<usize>>,
    taken: BTreeSet<usize>,
    by_key: BTreeMap<&'a str, Vec<usize>>,
    by_path: BTreeMap<&'a [u8], Vec<usize>>,
    /// The thread in which a dismissed one was asked again.
    next: BTreeMap<usize, usize>,
}

impl<'a> Pairs<'a> {
    fn missing(&self) -> Vec<usize> {
        (0..self.findings.len()).filter(|at| self.found[*at].is_none()).collect()
    }

    /// Pairs those that have the same key.
    fn by_key(&mut self, key: impl Fn(&'a ReportedFinding<'a>) -> Option<&'a str>) {
        for finding in self.missing() {
            let Some(key) = key(&self.findings[finding]) else { continue };
            let named = self.by_key.get(key).into_iter().flatten().copied();
            let free = named.filter(|at| !self.taken.contains(at));
            if let Some(thread) = free.min_by_key(|at| self.threads[*at].standing) {
                self.take(finding, thread);
            }
        }
    }

    /// Pairs those of one rule on lines to which the engine carried a thread, the most alike first.
    fn by_place(&mut self, counts: impl Fn(&ReportedThread<'_>) -> bool) {
        let mut alike = Vec::new();
        for finding in self.missing() {
            let Some((path, _)) = &self.findings[finding].place else { continue };
            for thread in self.by_path.get(path.as_slice()).into_iter().flatten().copied() {
                let there = &self.threads[thread];
                if counts(there)
                    && let Some(score) = likeness(&self.findings[finding], there)
                {
                    alike.push((Reverse(score), finding, thread));
                }
            }
        }
        self.take_best(alike);
    }

    /// Pairs those of equal lines that say the same: of equal neighbours, the engine cannot know which one is left.
    fn by_words(&mut self) {
        let mut by_code: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (at, thread) in self.threads.iter().enumerate() {
            if thread.standing != Standing::Retired && !self.taken.contains(&at) {
                let code = (thread.path, thread.rule, thread.lines.as_str());
                by_code.entry((code, thread.text)).or_default().push(at);
            }
        }
        let mut alike = Vec::new();
        for at in self.missing() {
            let finding = &self.findings[at];
            let Some((path, span)) = finding.place.as_ref().filter(|_| finding.own.is_none()) else {
                continue;
            };
            let code = (path.as_slice(), finding.rule, finding.lines.as_str());
            for thread in by_code.get(&(code, finding.text)).into_iter().flatten().copied() {
                let there = &self.threads[thread];
                if !is_same_scope(&finding.scope, &there.scope) {
                    continue;
                }
                let near =
                    there.place.as_ref().filter(|(file, _)| file == path).map_or(u32::MAX, |(_, was)| {
                        span.zip(*was).map_or(0, |(span, was)| span.0.abs_diff(was.0))
                    });
                let is_key = finding.key.as_ref() == Some(&there.key);
                let score = (there.standing == Standing::Open, is_key, Reverse(near));
                alike.push((Reverse(score), at, thread));
            }
        }
        self.take_best(alike);
    }

    /// Takes each finding and each thread once, the best pairs first.
    fn take_best<S: Ord>(&mut self, mut pairs: Vec<(S, usize, usize)>) {
        pairs.sort_unstable();
        for (_, finding, thread) in pairs {
            if self.found[finding].is_none() && !self.taken.contains(&thread) {
                self.take(finding, thread);
            }
        }
    }

    /// Pairs those that earlier versions would have taken for the same, if that thread has lost its lines.
    fn by_former_key(&mut self) {
        for finding in self.missing() {
            let Some(former) = self.findings[finding].former else { continue };
            let is_it = |at: &usize| !self.threads[*at].is_unchanged && !self.taken.contains(at);
            if let Some(thread) = self.by_key.get(former).into_iter().flatten().copied().find(is_it) {
                self.take(finding, thread);
            }
        }
    }

    /// Pairs a finding with a thread, or with the one in which it was asked again; all of them are taken.
    fn take(&mut self, finding: usize, thread: usize) {
        let mut last = thread;
        while let Some(next) = self.next.get(&last).copied().filter(|next| !self.taken.contains(next)) {
            self.taken.insert(last);
            last = next;
        }
        self.taken.insert(last);
        let mut before = self.threads[last].after;
        while let Some(at) = before.filter(|at| self.taken.insert(*at)) {
            before = self.threads[at].after;
        }
        self.found[finding] = Some(last);
    }
}

/// How sure it is that a finding is the thread that is on its lines; `None` if it is not.
fn likeness(
    finding: &ReportedFinding<'_>,
    thread: &ReportedThread<'_>,
) -> Option<(bool, bool, bool, bool, u32, usize)> {
    let ((path, span), (there, was)) = (finding.place.as_ref()?, thread.place.as_ref()?);
    if finding.rule != thread.rule || path != there || thread.standing == Standing::Retired {
        return None;
    }
    // A tool that names its findings knows better, unless it says the same about the same lines under a new name.
    if finding.own.is_some() && (!thread.is_unchanged || finding.text != thread.text) {
        return None;
    }
    // Equal lines may be in many functions and files.
    if thread.is_moved && !is_same_scope(&finding.scope, &thread.scope) {
        return None;
    }
    if !thread.is_unchanged && shared_words(&finding.lines, &thread.lines) < LIKELY_SAME_CODE {
        return None;
    }
    let shared = match (span, was) {
        (None, None) => 0,
        (Some(span), Some(was)) => {
            let shared = shared_lines(*span, *was);
            (span.0 == was.0 || shared >= LIKELY_SAME_LINES).then_some(shared)?
        }
        _ => return None,
    };
    let (is_same_text, words) = (finding.text == thread.text, shared_words(finding.text, thread.text));
    // Without a rule or lines, only the words tell two findings in one place apart.
    let says_little = finding.rule.is_none() || span.is_none();
    if says_little && !is_same_text && words < LIKELY_REWORDED {
        return None;
    }
    let is_open = thread.standing == Standing::Open;
    Some((finding.lines == thread.lines, is_open, is_same_text, span == was, shared, words))
}

/// Whether one chain of scopes has all lines of the other one: odd indentation adds some.
fn is_same_scope(one: &[String], other: &[String]) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short.iter().all(|line| long.contains(line)) && short.is_empty() == long.is_empty()
}

/// The lines that two spans share, of all that they have, in per mille.
fn shared_lines(one: (u32, u32), other: (u32, u32)) -> u32 {
    let (first, last) = (one.0.max(other.0), one.1.min(other.1));
    if last < first {
        return 0;
    }
    let all = u64::from(one.1.max(other.1) - one.0.min(other.0)) + 1;
    u32::try_from(u64::from(last - first + 1) * 1000 / all).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "what has a place has it in an option")]
    fn at(first: u32, last: u32) -> Option<FindingPlace> {
        Some((b"a.rs".to_vec(), Some((first, last))))
    }

    fn finding(key: &str, line: u32) -> ReportedFinding<'static> {
        ReportedFinding {
            rule: Some("R"),
            key: Some(key.into()),
            text: "too long",
            place: at(line, line),
            lines: key.into(),
            scope: vec!["fna(){".into()],
            ..ReportedFinding::default()
        }
    }

    fn thread(key: &str, line: u32) -> ReportedThread<'static> {
        ReportedThread {
            rule: Some("R"),
            key: key.into(),
            standing: Standing::Open,
            text: "too long",
            place: at(line, line),
            is_unchanged: true,
            is_moved: false,
            path: b"a.rs",
            lines: key.into(),
            scope: vec!["fna(){".into()],
            after: None,
        }
    }

    #[test]
    fn a_finding_is_the_thread_that_was_carried_to_its_lines_whatever_it_says() {
        let reworded = ReportedFinding { text: "shorten this", ..finding("new", 7) };
        assert_eq!(pair(slice::from_ref(&reworded), &[thread("old", 7)]), [Some(0)]);
        assert_eq!(pair(slice::from_ref(&reworded), &[thread("old", 8)]), [None], "other lines");
        let other = ReportedThread { rule: Some("S"), ..thread("old", 7) };
        assert_eq!(pair(slice::from_ref(&reworded), &[other]), [None], "another rule");
        let moved = |scope: &[&str]| ReportedThread {
            is_moved: true,
            scope: scope.iter().map(|line| (*line).to_owned()).collect(),
            ..thread("old", 7)
        };
        assert_eq!(pair(slice::from_ref(&reworded), &[moved(&["fna(){"])]), [Some(0)]);
        assert_eq!(
            pair(slice::from_ref(&reworded), &[moved(&["fna(){", "ifx{"])]),
            [Some(0)],
            "of odd indentation"
        );
        assert_eq!(
            pair(slice::from_ref(&reworded), &[moved(&["fnb(){"])]),
            [None],
            "an equal line elsewhere"
        );
        assert_eq!(pair(&[reworded], &[moved(&[])]), [None]);
    }

    #[test]
    fn twins_stay_two_and_each_keeps_its_own_thread() {
        let two = [finding("k", 10), finding("k~2", 20)];
        assert_eq!(pair(&two, &[thread("k", 20), thread("k~2", 10)]), [Some(1), Some(0)]);
        assert_eq!(pair(&two, &[thread("k~2", 20)]), [None, Some(0)]);
        // Two on one line, of which one is here.
        let two = [ReportedFinding { text: "other", ..finding("x", 5) }, finding("y", 5)];
        assert_eq!(pair(&two, &[thread("z", 5)]), [None, Some(0)]);
    }

    #[test]
    fn of_equal_neighbours_the_one_that_says_the_same_is_left_where_the_engine_cannot_know() {
        let of = |text: &'static str, key: &str, place| ReportedThread {
            text,
            place,
            lines: "f()".into(),
            is_moved: true,
            ..thread(key, 1)
        };
        let left =
            |text: &'static str, line| ReportedFinding { text, lines: "f()".into(), ..finding("new", line) };
        let elsewhere = Some((b"b.rs".to_vec(), Some((9, 9))));
        let (first, second) = (of("[1] panics", "a", at(5, 5)), of("[2] panics", "b", elsewhere));
        assert_eq!(pair(&[left("[2] panics", 5)], &[first.clone(), second.clone()]), [Some(1)]);
        assert_eq!(pair(&[left("[1] panics", 5)], &[first.clone(), second.clone()]), [Some(0)]);
        assert_eq!(pair(&[left("may abort", 5)], &[first.clone(), second.clone()]), [Some(0)], "reworded");
        let both = [left("[2] panics", 5), left("may abort", 6)];
        assert_eq!(
            pair(&both, &[first.clone(), second.clone()]),
            [Some(1), None],
            "not what another thread is"
        );
        let odd = vec!["fna(){".to_owned(), "letx=1;".to_owned()];
        let formatted = ReportedFinding { scope: odd, ..left("[2] panics", 5) };
        assert_eq!(pair(slice::from_ref(&formatted), &[first.clone(), second.clone()]), [Some(1)]);
        let other = ReportedFinding { scope: vec!["fnb(){".into()], ..formatted };
        assert_eq!(
            pair(&[other], &[first.clone(), second.clone()]),
            [None],
            "equal lines of another function"
        );
        // Where the diff says where it is, that counts more.
        let sure = ReportedThread { is_moved: false, ..first };
        assert_eq!(pair(&[left("[2] panics", 5)], &[sure, second]), [Some(0)]);
        // Those that say the same stay in their order, and each is taken once.
        let same = |line| of("panics", "k", at(line, line));
        let two = [left("panics", 5), left("panics", 6)];
        assert_eq!(pair(&two, &[same(5), same(6)]), [Some(0), Some(1)]);
        assert_eq!(pair(&two, &[same(6), same(5)]), [Some(1), Some(0)]);
        assert_eq!(pair(&two, &[same(5), same(5)]), [Some(0), Some(1)]);
    }

    #[test]
    fn the_name_that_a_tool_gives_counts_before_the_place() {
        let named = ReportedFinding { own: Some("id-1"), ..finding("k", 5) };
        assert_eq!(pair(&[named], &[thread("other", 5), thread("id-1", 99)]), [Some(1)]);
    }

    #[test]
    fn changed_lines_are_the_same_if_most_of_them_is_left_and_the_tool_does_not_know_better() {
        let there = ReportedThread {
            lines: "letx=input.checked_add(1).unwrap()".into(),
            is_unchanged: false,
            ..thread("old", 5)
        };
        let on = |lines: &str| ReportedFinding { lines: lines.into(), ..finding("new", 5) };
        let renamed = on("lety=input.checked_add(1).unwrap()");
        assert_eq!(pair(slice::from_ref(&renamed), slice::from_ref(&there)), [Some(0)]);
        assert_eq!(pair(&[on("returnother.unwrap()")], slice::from_ref(&there)), [None]);
        let named = ReportedFinding { own: Some("id-9"), ..renamed.clone() };
        assert_eq!(pair(&[named], slice::from_ref(&there)), [None]);
        let guessed = ReportedThread { is_moved: true, scope: vec!["fnb(){".into()], ..there };
        assert_eq!(pair(&[renamed], &[guessed]), [None], "similar lines in another function");
    }

    #[test]
    fn what_has_no_rule_needs_words_in_common() {
        let free = |text: &'static str| ReportedFinding { rule: None, text, ..finding("new", 5) };
        let there = ReportedThread { rule: None, text: "the sum may overflow here", ..thread("old", 5) };
        assert_eq!(pair(&[free("overflow: the sum is not bounded")], slice::from_ref(&there)), [Some(0)]);
        assert_eq!(pair(&[free("this name is misleading")], &[there]), [None]);
    }

    #[test]
    fn lines_that_were_lost_are_found_by_their_key_and_a_message_only_without_lines() {
        let lost = ReportedThread { place: None, is_unchanged: false, ..thread("k", 1) };
        assert_eq!(pair(&[finding("k", 50)], slice::from_ref(&lost)), [Some(0)]);
        let former = ReportedFinding { former: Some("m"), ..finding("n", 50) };
        let by_message = |is_unchanged| ReportedThread { key: "m".into(), is_unchanged, ..lost.clone() };
        assert_eq!(pair(slice::from_ref(&former), &[by_message(false)]), [Some(0)]);
        assert_eq!(pair(&[former], &[by_message(true)]), [None], "its own lines are still there");
    }

    #[test]
    fn what_was_asked_again_is_the_thread_and_the_one_before_is_not_free() {
        let dismissed = ReportedThread { standing: Standing::Dismissed, ..thread("k", 5) };
        let again = ReportedThread { after: Some(0), ..thread("k~after", 5) };
        let threads = [dismissed, again];
        let named = ReportedFinding { own: Some("k"), ..finding("k", 5) };
        assert_eq!(pair(&[named, finding("other", 5)], &threads), [Some(1), None]);
    }

    #[test]
    fn a_part_of_the_lines_is_enough_if_it_is_most_of_them() {
        let long = |first, last| ReportedFinding { place: at(first, last), ..finding("new", 1) };
        let there = ReportedThread { place: at(10, 19), ..thread("old", 1) };
        assert_eq!(pair(&[long(12, 19)], slice::from_ref(&there)), [Some(0)]);
        assert_eq!(pair(&[long(17, 30)], slice::from_ref(&there)), [None]);
        assert_eq!(pair(&[long(10, 60)], &[there]), [Some(0)], "it begins there");
    }
}
