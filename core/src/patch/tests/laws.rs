//! The laws of patches, and patches that nobody should have written.
//!
//! Texts are made of few different lines, so that places are hard to tell apart.

use proptest::prelude::*;
use similar::{Algorithm, capture_diff_slices, group_diff_ops};

use crate::patch::{MAX_OFFSET, ParsedPatch, PatchFailure, PatchForm};

fn text(longest: usize) -> impl Strategy<Value = String> {
    let lines = vec!["a", "b", "c", "", "}", "  a", "fn x() {", "é"];
    let lines = proptest::collection::vec(proptest::sample::select(lines), 0..longest);
    (lines, any::<bool>()).prop_map(|(lines, newline)| {
        let text = lines.join("\n");
        if newline && !lines.is_empty() { text + "\n" } else { text }
    })
}

/// A unified diff as git writes it.
fn diff(old: &str, new: &str, context: usize) -> String {
    let (a, b): (Vec<_>, Vec<_>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let mut patch = String::new();
    let line = |mark: char, text: &str| {
        let newline = if text.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
        format!("{mark}{text}{newline}")
    };
    for group in group_diff_ops(capture_diff_slices(Algorithm::Myers, &a, &b), context) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let range = |start: usize, end: usize| (start + usize::from(end > start), end - start);
        let (old_start, old_lines) = range(first.old_range().start, last.old_range().end);
        let (new_start, new_lines) = range(first.new_range().start, last.new_range().end);
        patch.extend([format!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@\n")]);
        for op in &group {
            let same = op.tag() == similar::DiffTag::Equal;
            patch.extend(a[op.old_range()].iter().map(|text| line(if same { ' ' } else { '-' }, text)));
            let added = if same { 0..0 } else { op.new_range() };
            patch.extend(b[added].iter().map(|text| line('+', text)));
        }
    }
    patch
}

/// A small generator of numbers, for mutations that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % sides.max(1)
    }
}

/// Reads and applies bytes in every form; what matters is that it ends, without a panic, all or nothing.
fn fuzz(patch: &[u8], base: &[u8]) {
    for form in [PatchForm::Unified, PatchForm::SearchReplace, PatchForm::BeginEnd] {
        let Ok(patch) = ParsedPatch::read_as(patch, form) else { continue };
        for file in patch.files.iter().chain(&patch.clone().reversed().files) {
            if let Ok(applied) = file.apply(base) {
                assert_eq!(applied.edit.apply(base).unwrap(), applied.text);
            }
        }
        let _ = patch.plan(None, |_| Some(base.to_vec()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_diff_applied_to_its_own_text_is_strict_and_right(old in text(20), new in text(20), context in 0..4_usize) {
        let patch = diff(&old, &new, context);
        prop_assume!(!patch.is_empty());
        // Without context, one hunk above the first line looks as one for an empty file does.
        let is_alone = patch.matches("@@ -").count() == 1;
        prop_assume!(!is_alone || old.is_empty() || !patch.starts_with("@@ -0,0 "));
        prop_assume!(!is_alone || new.is_empty() || !patch.contains(" +0,0 @@"));
        let patch = ParsedPatch::read(patch.as_bytes()).unwrap();
        let applied = patch.files[0].apply(old.as_bytes()).unwrap();
        prop_assert_eq!(String::from_utf8(applied.text.clone()).unwrap(), new);
        let back = patch.reversed().files[0].apply(&applied.text).unwrap();
        prop_assert_eq!(String::from_utf8(back.text).unwrap(), old);
    }

    #[test]
    fn what_is_placed_elsewhere_changes_those_lines_only(
        above in text(12), old in text(12), new in text(12), below in text(12),
    ) {
        let end = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let whole = |middle: &str| {
            format!("{above}{}unique one\n{middle}{}unique two\n{below}", end(&above), end(middle))
        };
        let part = |middle: &str| format!("unique one\n{middle}{}unique two\n", end(middle));
        let patch = diff(&part(&old), &part(&new), 99);
        prop_assume!(!patch.is_empty());
        let patch = ParsedPatch::read(patch.as_bytes()).unwrap();
        let applied = patch.files[0].apply(whole(&old).as_bytes()).unwrap();
        prop_assert_eq!(String::from_utf8(applied.text).unwrap(), whole(&new));
        if !new.is_empty() {
            // Never twice, and told apart where it is near enough to be the one that is meant.
            let again = patch.files[0].apply(whole(&new).as_bytes());
            prop_assert!(again.is_err(), "{again:?}");
            if above.lines().count() <= MAX_OFFSET {
                prop_assert_eq!(again, Err(PatchFailure::AlreadyApplied));
            }
        }
    }

    #[test]
    fn mutated_patches_end_without_a_panic(old in text(12), new in text(12), seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let mut patch = format!("--- a/f\n+++ b/f\n{}", diff(&old, &new, 2)).into_bytes();
        if dice.roll(3) == 0 {
            patch = format!("f.x\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n").into_bytes();
        }
        let words: [&[u8]; 14] = [
            b"@@ -1,99999999999999999999 +0,0 @@\n", b"@@", b"--- ", b"+++ ", b"\n", b"\r\n", b"\\ No newline\n", b"-", b"+",
            b"\xff\xfe", b"*** Begin Patch\n*** Update File: f\n", b"*** End of File\n", b"<<<<<<< SEARCH\n", b"=======\n",
        ];
        for _ in 0..dice.roll(6) {
            let at = dice.roll(patch.len() + 1);
            match dice.roll(3) {
                0 => drop(patch.splice(at..at, words[dice.roll(words.len())].iter().copied())),
                1 => drop(patch.drain(at..(at + dice.roll(8)).min(patch.len()))),
                _ => patch.truncate(at.max(1)),
            }
        }
        fuzz(&patch, old.as_bytes());
    }
}

#[test]
fn hostile_patches_cost_a_bounded_time() {
    let base = "a\n".repeat(4_000);
    let many = " a\n".repeat(1_000);
    fuzz(format!("@@ -1,5 +1,5 @@\n{many}-a\n+b\n{many} z\n").as_bytes(), base.as_bytes());
    fuzz(format!("@@\n{many}-a\n+b\n{many}").as_bytes(), base.as_bytes());
    fuzz("@@ -1 +1 @@\n-a\n+b\n".repeat(1_000).as_bytes(), base.as_bytes());
    fuzz("@@ -18446744073709551615,18446744073709551615 +1 @@\n-a\n".as_bytes(), base.as_bytes());
    let blank = "\n".repeat(20_000);
    fuzz(
        format!("@@ -7,5 +7,5 @@\n x\n{blank}-a\n+b\n").as_bytes(),
        format!("x\n{}a\n", "\n".repeat(19_980)).as_bytes(),
    );
    fuzz("<<<<<<< SEARCH\n".repeat(10_000).as_bytes(), b"x\n");
    fuzz("--- a/f\n+++ b/f\n".repeat(10_000).as_bytes(), b"x\n");
}
