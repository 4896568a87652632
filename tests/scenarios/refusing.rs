//! Patches of every kind, thrown at files: what is refused leaves every byte, and what is not is written whole.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use postil_testkit::Dice;

use crate::suggesting::{beside_files, fed, json};
use crate::support::world::{Checkout, World};

/// How many patches are thrown.
const PATCHES: usize = 240;

const FORMS: [Form; 5] = [Form::Unified, Form::SearchReplace, Form::BeginEnd, Form::JsonLines, Form::OfPath];

/// How a patch is written and given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Unified,
    SearchReplace,
    BeginEnd,
    /// JSON with `path` and `patch_lines`.
    JsonLines,
    /// A hunk alone, of the file that `--path` names.
    OfPath,
}

const NAMES: [&str; 4] = ["a.txt", "b.txt", "sub/c.txt", "sub/d.txt"];

/// All files with their bytes and modes, and what links lead to; git's own folder is looked at otherwise.
fn all_files(root: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(&folder).expect("a folder can be listed").map(|entry| entry.expect("an entry"))
        {
            let path = entry.path();
            if path == root.join(".git") {
                continue;
            }
            let found = fs::symlink_metadata(&path).expect("it is there");
            let bytes = if found.is_symlink() {
                fs::read_link(&path).expect("a link leads somewhere").into_os_string().into_encoded_bytes()
            } else if found.is_dir() {
                folders.push(path.clone());
                Vec::new()
            } else {
                fs::read(&path).expect("a file can be read")
            };
            all.insert(path.display().to_string(), (found.permissions().mode(), bytes));
        }
    }
    all
}

/// A text of few different lines, so that places are hard to tell apart.
fn text(dice: &mut Dice) -> String {
    (0..2 + dice.index(10)).map(|_| format!("{}\n", dice.pick(&["a", "b", "c", "}", "  d", ""]))).collect()
}

/// The diff of a file with one line more, less, or another one.
fn change(dice: &mut Dice, name: &str, old: &str) -> String {
    format!("--- a/{name}\n+++ b/{name}\n{}", hunk(dice, old))
}

fn hunk(dice: &mut Dice, old: &str) -> String {
    let lines: Vec<&str> = old.lines().collect();
    let at = dice.index(lines.len());
    let (from, to) = (at.saturating_sub(2), (at + 3).min(lines.len()));
    let shown = lines.iter().enumerate().take(to).skip(from);
    let body: String = shown
        .map(|(line, text)| match (line == at, dice.index(3)) {
            (false, _) => format!(" {text}\n"),
            (true, 0) => format!("-{text}\n"),
            (true, 1) => format!("-{text}\n+new\n"),
            (true, _) => format!("+new\n {text}\n"),
        })
        .collect();
    let stated = from + 1 + if dice.index(3) == 0 { dice.index(30) } else { 0 };
    format!("@@ -{stated},{0} +{stated},{0} @@\n{body}", to - from)
}

/// One file's part of a patch in a form of language models; every now and then one that fits nowhere.
fn told(dice: &mut Dice, form: Form, name: &str, old: &str) -> String {
    let mut hunk = hunk(dice, old);
    if dice.index(4) == 0 {
        hunk.push_str("-absent\n+new\n");
    }
    let body = || hunk.lines().skip(1);
    let without = |mark: char| -> String {
        body().filter(|line| !line.starts_with(mark)).map(|line| format!("{}\n", &line[1..])).collect()
    };
    match form {
        Form::Unified | Form::OfPath => hunk,
        Form::SearchReplace => {
            format!("{name}\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", without('+'), without('-'))
        }
        Form::BeginEnd => match dice.index(6) {
            0 => format!("*** Delete File: {name}\n"),
            1 => "*** Add File: made/deep\n+made\n".to_owned(),
            _ => format!("*** Update File: {name}\n@@\n{}", hunk.split_once('\n').expect("a header").1),
        },
        Form::JsonLines => {
            // Some entries are several lines.
            let half = hunk.len() / 2;
            let cut = hunk[half..].find('\n').map_or(hunk.len(), |at| half + at);
            let lines: Vec<&str> = [&hunk[..cut], hunk[cut..].trim_start_matches('\n')]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect();
            serde_json::json!({ "path": name, "patch_lines": lines }).to_string()
        }
    }
}

/// A patch of some form, and the words of the command line that it is given with.
fn thrown(dice: &mut Dice, alice: &Checkout<'_>) -> (Form, String, String) {
    let form = *dice.pick(&FORMS);
    let line = "patch apply --json".to_owned();
    if form == Form::Unified {
        return (form, line, patch(dice, alice));
    }
    let count = if form == Form::OfPath { 1 } else { 1 + dice.index(3) };
    let mut name = NAMES[0];
    let parts: Vec<String> = (0..count)
        .map(|_| {
            name = *dice.pick(&NAMES);
            let old = fs::read_to_string(alice.folder.join(name)).unwrap_or_else(|_| text(dice));
            told(dice, form, name, &old)
        })
        .collect();
    match form {
        Form::BeginEnd => (form, line, format!("*** Begin Patch\n{}*** End Patch\n", parts.concat())),
        Form::JsonLines => (form, line, format!("[{}]", parts.join(","))),
        Form::OfPath => (form, format!("{line} --path {name}"), parts.concat()),
        Form::Unified | Form::SearchReplace => (form, line, parts.concat()),
    }
}

fn patch(dice: &mut Dice, alice: &Checkout<'_>) -> String {
    let mut patch = String::new();
    for _ in 0..=dice.index(4) {
        let name = *dice.pick(&NAMES);
        let old = fs::read_to_string(alice.folder.join(name)).unwrap_or_else(|_| text(dice));
        let file = match dice.index(10) {
            0 => format!("diff --git a/{name} b/moved\nrename from {name}\nrename to moved\n"),
            1 => format!("diff --git a/{name} b/{name}\nold mode 100644\nnew mode 100755\n"),
            2 => "--- /dev/null\n+++ b/made/deep\n@@ -0,0 +1 @@\n+made\n".to_owned(),
            3 => "--- a/link\n+++ b/link\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
            4 => {
                let lines: String = old.lines().map(|line| format!("-{line}\n")).collect();
                format!("--- a/{name}\n+++ /dev/null\n@@ -1,{} +0,0 @@\n{lines}", old.lines().count())
            }
            5 => format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-absent\n+new\n"),
            _ => change(dice, name, &old),
        };
        patch.push_str(&file);
    }
    if dice.index(4) == 0 {
        let at = dice.index(patch.len());
        patch.insert_str(at, dice.pick::<&str>(&["\n", "@@\n", "+x\n", "-", "--- a/../x\n+++ b/../x\n"]));
    }
    patch
}

#[test]
fn a_refused_patch_leaves_every_byte_of_every_file() {
    let world = World::new();
    let alice = world.repository("alice");
    let mut dice = Dice::new(0x5bd1_e995_9e37_79b9);
    for name in NAMES {
        alice.write(name, text(&mut dice));
    }
    symlink("a.txt", alice.folder.join("link")).expect("a link can be made");
    alice.commit("first");
    let (mut refused, mut written) = (BTreeMap::new(), BTreeMap::new());
    for _ in 0..PATCHES {
        let before = (all_files(&alice.folder), beside_files(&alice));
        let (form, line, patch) = thrown(&mut dice, &alice);
        let answer = fed(&alice, &line, &patch);
        let after = (all_files(&alice.folder), beside_files(&alice));
        let told = json(&answer);
        if told["written"] == true {
            let written = written.entry(format!("{form:?}")).or_insert(0_usize);
            *written += 1;
            assert_eq!(before.1, after.1, "the index is nobody's: {patch}");
            alice.postil("apply --undo").code(0);
            assert_eq!(all_files(&alice.folder), before.0, "{patch}");
            // Every other one stays, so that later ones meet other files.
            if *written % 2 == 0 {
                fed(&alice, &line, &patch).code(0);
                assert_eq!(all_files(&alice.folder), after.0, "{patch}");
            }
        } else {
            *refused.entry(format!("{form:?}")).or_insert(0_usize) += 1;
            assert_eq!(before, after, "{patch}\n{}{}", answer.stdout(), answer.stderr());
            // A program learns why, in words that stay.
            assert!(told["state"] == "done" || told["error"]["code"].is_string(), "{patch}\n{told}");
            let mut conflicts = told["conflicts"].as_array().into_iter().flatten();
            assert!(conflicts.all(|why| why["code"].is_string() && why["code"] != "other"), "{told}");
        }
    }
    for form in FORMS.map(|form| format!("{form:?}")) {
        let [refused, written] = [&refused, &written].map(|of| of.get(&form).copied().unwrap_or_default());
        assert!(refused > 4 && written > 4, "{form}: {refused} refused, {written} written");
    }
}
