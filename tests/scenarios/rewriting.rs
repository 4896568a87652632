//! Comments on what a branch added stay on their lines while the branch is rewritten, by the real git.

use serde_json::Value;

use crate::support::world::{Checkout, World, words};

const FILE: &str = "src/detect.rs";

const BASE: &str = "\
use std::path::Path;

/// Tells what a folder is under.
pub fn detect(path: &Path) -> bool {
    let name = path.file_name();
    if name.is_none() {
        return false;
    }
    let is_git = path.ancestors().take(MAX_DEPTH).any(|folder| folder.join(\".git\").is_dir());
}

pub fn depth(path: &Path) -> usize {
    path.components().count()
}
";

/// What the last commit of the branch replaces: a line much like two of those that come.
const GIVEN: &str =
    "    let is_git = path.ancestors().take(MAX_DEPTH).any(|folder| folder.join(\".git\").is_dir());\n";

/// What it puts there.
const ADDED: &str =
    "    let has_jj = path.ancestors().take(MAX_DEPTH).any(|folder| folder.join(\".jj\").is_dir());
    trace(\"jj\");
    seen(path);
    let has_git = path.ancestors().take(MAX_DEPTH).any(|folder| folder.join(\".git\").is_dir());
    has_git || has_jj
";

/// The commented lines: two that the last commit added, and one that the first wrote anew in its place.
const COMMENTED: [&str; 3] = [
    "    let has_jj = path.ancestors().take(MAX_DEPTH).any(|folder| folder.join(\".jj\").is_dir());",
    "    has_git || has_jj",
    "    path.components().filter(is_normal).count()",
];

/// The same lines once the variable has another name.
const RENAMED: [&str; 3] = [
    "    let has_jj_dir = path.ancestors().take(MAX_DEPTH).any(|folder| folder.join(\".jj\").is_dir());",
    "    has_git || has_jj_dir",
    "    path.components().filter(is_normal).count()",
];

fn first(text: &str) -> String {
    text.replace("path.components().count()", "path.components().filter(is_normal).count()")
}

fn second(text: &str) -> String {
    text.replace(GIVEN, ADDED)
}

/// What others did to the same file meanwhile, above and below.
fn others(text: &str) -> String {
    let text =
        text.replace("use std::path::Path;\n", "use std::fs;\nuse std::path::Path;\n\nuse crate::trace;\n");
    text.replace("if name.is_none() {", "if name.is_none_or(is_hidden) {") + "\nfn is_hidden() {}\n"
}

/// A branch `topic` of two commits on `main`, and the threads on its lines.
struct Story<'world> {
    alice: Checkout<'world>,
    threads: Vec<String>,
}

impl<'world> Story<'world> {
    fn new(world: &'world World) -> Self {
        let alice = world.repository("alice");
        alice.write(FILE, BASE);
        alice.commit("base");
        alice.git("switch --quiet -c topic");
        Self::on(alice)
    }

    /// Commits twice on the branch that is there, and comments on what they wrote.
    fn on(alice: Checkout<'world>) -> Self {
        let mut story = Self { alice, threads: Vec::new() };
        story.change(first, "count what is normal");
        story.change(second, "detect jujutsu");
        story.comment();
        story
    }

    fn comment(&mut self) {
        for text in COMMENTED {
            let line = self.line(FILE, text);
            let said = self.alice.postil(&format!("comment {FILE}:{line} -m why")).code(0).stdout();
            self.threads.push(said.split(' ').next().expect("the id comes first").to_owned());
        }
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.alice.folder.join(path)).expect("the file is there")
    }

    fn line(&self, path: &str, text: &str) -> usize {
        let file = self.text(path);
        1 + file.lines().position(|line| line == text).unwrap_or_else(|| panic!("{text} is not in\n{file}"))
    }

    fn change(&self, change: impl Fn(&str) -> String, message: &str) {
        self.write(change);
        self.alice.commit(message);
    }

    fn write(&self, change: impl Fn(&str) -> String) {
        self.alice.write(FILE, change(&self.text(FILE)));
    }

    fn rename_variable(&self) {
        self.write(|text| text.replace("has_jj", "has_jj_dir"));
    }

    fn git(&self, lines: &[&str]) {
        for line in lines {
            self.alice.git(line);
        }
    }

    /// Runs an interactive rebase whose list a command of the shell edits.
    fn rebase(&self, line: &str, editor: &str) {
        let output = self
            .alice
            .command("git")
            .args(words(line))
            .env("GIT_SEQUENCE_EDITOR", editor)
            .env("GIT_EDITOR", "true")
            .output()
            .expect("git can be started");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Others change the same file on the base; the branch is on again afterwards.
    fn change_base(&self) {
        self.git(&["switch --quiet main"]);
        self.change(others, "others");
        self.git(&["switch --quiet topic"]);
    }

    /// Expects the threads on these lines of a file: outdated where the text is another, else in `state`.
    #[track_caller]
    fn expect(&self, path: &str, texts: [&str; 3], state: &str) {
        for ((id, was), text) in self.threads.iter().zip(COMMENTED).zip(texts) {
            let json = self.alice.postil(&format!("show {id} --json")).code(0).stdout();
            let json: Value = serde_json::from_str(&json).expect("one JSON object");
            let position = &json["thread"]["position"];
            let word = |field: &str| position[field].as_str().unwrap_or("-").to_owned();
            let told = format!("{} {} {}:{}", word("state"), word("reason"), word("path"), position["start"]);
            let state = if text == was { state } else { "outdated changed-in-place" };
            assert_eq!(told, format!("{state} {path}:{}", self.line(path, text)), "{text}: {position}");
        }
    }

    /// Expects the lines as they were; then renames the variable, and expects the threads on them still.
    #[track_caller]
    fn goes_on(&self) {
        self.expect(FILE, COMMENTED, "anchored translated");
        self.rename_variable();
        self.expect(FILE, RENAMED, "anchored translated");
        self.alice.commit("a better name");
        self.expect(FILE, RENAMED, "anchored translated");
    }
}

#[test]
fn without_a_rewriting_a_comment_stays_on_the_line_whose_variable_is_renamed() {
    let world = World::new();
    Story::new(&world).goes_on();
}

#[test]
fn a_comment_stays_on_its_line_after_the_message_was_amended() {
    let world = World::new();
    let story = Story::new(&world);
    story.git(&["commit --quiet --amend -m reworded"]);
    story.goes_on();
}

#[test]
fn a_comment_stays_on_its_line_when_a_change_of_it_is_amended_into_its_commit() {
    let world = World::new();
    let story = Story::new(&world);
    story.rename_variable();
    story.git(&["commit --quiet --amend --all --no-edit"]);
    story.expect(FILE, RENAMED, "anchored translated");
}

#[test]
fn a_comment_stays_on_its_line_in_a_rebase_onto_a_base_that_changed_the_same_file() {
    let world = World::new();
    let story = Story::new(&world);
    story.change_base();
    story.git(&["rebase --quiet main"]);
    story.goes_on();
}

#[test]
fn a_comment_stays_on_its_line_in_a_rebase_onto_another_branch() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write(FILE, BASE);
    alice.commit("base");
    alice.git("switch --quiet -c feature");
    alice.write(FILE, format!("{BASE}\npub fn only_of_the_feature() {{}}\n"));
    alice.commit("feature");
    alice.git("switch --quiet -c topic");
    let story = Story::on(alice);
    story.change_base();
    story.git(&["rebase --quiet --onto main feature topic"]);
    assert!(!story.text(FILE).contains("only_of_the_feature"));
    story.goes_on();
}

#[test]
fn a_comment_stays_on_its_line_when_a_fixup_of_it_is_squashed_into_its_commit() {
    let world = World::new();
    let story = Story::new(&world);
    story.rename_variable();
    story.git(&["commit --quiet --all --fixup HEAD"]);
    story.rebase("rebase --quiet -i --autosquash main", "true");
    assert_eq!(story.alice.git("rev-list --count main..topic"), "2");
    story.expect(FILE, RENAMED, "anchored translated");
}

#[test]
fn a_comment_stays_on_its_line_when_a_fixup_of_other_lines_is_squashed_into_its_commit() {
    let world = World::new();
    let story = Story::new(&world);
    story.write(|text| text.replace("    seen(path);\n", "    seen(path, \"jj\");\n"));
    story.git(&["commit --quiet --all --fixup HEAD"]);
    story.rebase("rebase --quiet -i --autosquash main", "true");
    story.goes_on();
}

#[test]
fn a_comment_stays_on_its_line_when_a_fixup_is_squashed_into_the_commit_before_its_own() {
    let world = World::new();
    let story = Story::new(&world);
    story.write(|text| text.replace("pub fn depth", "/// How deep a folder is.\npub fn depth"));
    story.git(&["commit --quiet --all --fixup HEAD~1"]);
    story.rebase("rebase --quiet -i --autosquash main", "true");
    assert_eq!(story.alice.git("rev-list --count main..topic"), "2");
    story.goes_on();
}

#[test]
fn a_comment_is_on_the_line_that_was_picked_onto_another_branch() {
    let world = World::new();
    let story = Story::new(&world);
    story.git(&["switch --quiet main"]);
    story.change(others, "others");
    story.git(&["switch --quiet -c release", "cherry-pick main..topic"]);
    story.goes_on();
}

#[test]
fn a_comment_is_on_the_line_that_was_merged_as_one_commit() {
    let world = World::new();
    let story = Story::new(&world);
    story.git(&["switch --quiet main"]);
    story.change(others, "others");
    story.git(&["merge --quiet --squash topic", "commit --quiet -m all"]);
    story.goes_on();
}

#[test]
fn a_comment_stays_on_its_line_when_all_is_committed_again() {
    let world = World::new();
    let story = Story::new(&world);
    story.git(&["reset --quiet --soft main", "commit --quiet -m all"]);
    story.goes_on();
}

#[test]
fn a_comment_stays_on_its_line_when_its_branch_is_squashed_with_a_change_of_it() {
    let world = World::new();
    let story = Story::new(&world);
    story.rename_variable();
    story.alice.commit("a better name");
    story.git(&["reset --quiet --soft main", "commit --quiet -m all"]);
    story.expect(FILE, RENAMED, "anchored translated");
}

#[test]
fn a_comment_stays_on_its_line_when_its_commit_is_split_in_two() {
    let world = World::new();
    let story = Story::new(&world);
    let whole = story.text(FILE);
    story.git(&["reset --quiet main"]);
    let half = format!("{}\n{GIVEN}", COMMENTED[0]);
    let half = BASE.replace(GIVEN, &half);
    story.alice.write(FILE, half);
    story.alice.commit("one half");
    story.alice.write(FILE, whole);
    story.alice.commit("the other half");
    story.goes_on();
}

#[test]
fn a_comment_stays_on_its_line_when_commits_change_places() {
    let world = World::new();
    let story = Story::new(&world);
    let order = world.tmp().join("order.sh");
    let script = "{ sed -n 2p \"$1\"; sed -n 1p \"$1\"; } > \"$1.new\" && mv \"$1.new\" \"$1\"\n";
    std::fs::write(&order, script).expect("a file can be written");
    story.rebase("rebase --quiet -i main", &format!("sh '{}'", order.display()));
    assert_eq!(story.alice.git("log --format=%s -1"), "count what is normal");
    story.goes_on();
}

#[test]
fn a_comment_goes_with_its_file_that_is_renamed_after_an_amend() {
    let world = World::new();
    let story = Story::new(&world);
    story.git(&["commit --quiet --amend -m reworded", "mv src/detect.rs src/kind.rs"]);
    story.alice.commit("a better name");
    story.expect("src/kind.rs", COMMENTED, "anchored renamed");
}

#[test]
fn a_comment_goes_with_its_file_that_is_renamed_and_changed_after_an_amend() {
    let world = World::new();
    let story = Story::new(&world);
    story.git(&["commit --quiet --amend -m reworded", "mv src/detect.rs src/kind.rs"]);
    story.alice.write("src/kind.rs", others(&story.text("src/kind.rs")));
    story.alice.commit("a better name");
    story.expect("src/kind.rs", COMMENTED, "anchored renamed");
}
