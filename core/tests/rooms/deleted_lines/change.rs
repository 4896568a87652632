//! A change in a sealed repository, comments on both of its sides, and where they are seen.
//!
//! The checks themselves are the tests.

use std::num::NonZeroUsize;

use postil_core::anchoring::{
    Base, Counterpart, Head, Pointed, PointedBase, Position, anchor_at, anchor_at_base, counterpart, locate,
    locate_change,
};
use postil_core::git::{RepoPath, TreeId};
use postil_core::record::{Anchor, LineSpan, Range};
use postil_testkit::{Checkout, Sandbox};

/// The file that the stories are about: lines that are unlike each other.
pub const WORDS: &str = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november \
                         oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu";

/// Words as the lines of a file.
pub fn lines(words: &str) -> String {
    words.split_whitespace().flat_map(|word| [word, "();\n"]).collect()
}

/// `words` without the ones named, and with others behind some: `edited(WORDS, &["-kilo", "bravo+new"])`.
pub fn edited(words: &str, edits: &[&str]) -> String {
    let mut words: Vec<&str> = words.split_whitespace().collect();
    let at = |words: &[&str], word: &str| {
        words.iter().position(|other| *other == word).expect("the edited word is there")
    };
    for edit in edits {
        match (edit.strip_prefix('-'), edit.split_once('+')) {
            (Some(word), _) => {
                words.remove(at(&words, word));
            }
            (None, Some((word, new))) => words.insert(at(&words, word) + 1, new),
            (None, None) => panic!("{edit} is no edit"),
        }
    }
    words.join(" ")
}

/// A branch `topic` on `main`, in three commits that each touch their own place of `f.rs`:
/// `add` (behind bravo), `cut` (deletes kilo) and `swap` (other lines for tango and uniform).
pub struct Change<'s> {
    pub repo: Checkout<'s>,
}

/// What `topic` makes of [`WORDS`].
pub fn topic() -> String {
    edited(WORDS, &["bravo+added", "-kilo", "-tango", "-uniform", "sierra+instead"])
}

impl<'s> Change<'s> {
    pub fn new(sandbox: &'s Sandbox) -> Self {
        let repo = sandbox.init("repo", &[]);
        let change = Self { repo };
        change.commit("base", "f.rs", WORDS);
        change.repo.git(&["checkout", "-q", "-b", "topic"]);
        change.commit("add", "f.rs", &edited(WORDS, &["bravo+added"]));
        change.commit("cut", "f.rs", &edited(WORDS, &["bravo+added", "-kilo"]));
        change.commit("swap", "f.rs", &topic());
        change
    }

    /// Commits words as the lines of a file.
    pub fn commit(&self, message: &str, file: &str, words: &str) {
        self.repo.write(file, lines(words));
        self.repo.git(&["add", "-A"]);
        self.repo.git(&["commit", "-q", "-m", message]);
    }

    /// Runs git with scripts for editors: the first one for lists of commits, the second for messages.
    pub fn git_editing(&self, args: &[&str], list: &str) {
        let mut command = self.repo.command(args);
        let output = command.env("GIT_SEQUENCE_EDITOR", list).env("GIT_EDITOR", "true").output();
        let output = output.expect("git can be started");
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Comments on the line of `rev` that says `word`, as on a line that `rev` added or kept.
    pub fn on_new(&self, rev: &str, file: &str, word: &str) -> Anchor {
        let (path, blob) = (path(file), self.repo.blob_id(&format!("{rev}:{file}")));
        let content = self.content(rev, file);
        let range = range(&content, word, word);
        let commit = Some(self.repo.commit_id(rev));
        let pointed = Pointed { commit, path: &path, blob, content: content.as_bytes(), range: Some(range) };
        anchor_at(&pointed).expect("the line is there")
    }

    /// Comments on the lines of `base` from the one that says `first` to the one that says `last`, as
    /// deleted by `head`.
    pub fn on_old(&self, base: &str, head: &str, file: &str, first: &str, last: &str) -> Anchor {
        let content = self.content(base, file);
        self.on_old_range(base, head, file, Some(range(&content, first, last)))
    }

    pub fn on_old_range(&self, base: &str, head: &str, file: &str, range: Option<Range>) -> Anchor {
        let (path, content) = (path(file), self.content(base, file));
        let pointed = PointedBase {
            base: self.repo.commit_id(base),
            path: &path,
            blob: self.repo.blob_id(&format!("{base}:{file}")),
            content: content.as_bytes(),
            range,
            head: Some(self.repo.commit_id(head)),
            counterpart: self.counterpart(base, head, file),
        };
        anchor_at_base(&pointed).expect("the lines are there")
    }

    /// What a file of `base` is in `head`.
    pub fn counterpart(&self, base: &str, head: &str, file: &str) -> Option<Counterpart> {
        let handle = self.repo.open().handle();
        counterpart(&handle, self.tree(base), self.tree(head), &path(file)).expect("both can be read")
    }

    /// Where an anchor is in a change: its state and reason, its place, and what stands there.
    pub fn seen(&self, anchor: &Anchor, base: &str, head: &str) -> String {
        let position = self.position(anchor, base, head);
        let deleted = matches!(anchor.side, postil_core::record::AnchorSide::Old(_));
        self.told(&position, if deleted { base } else { head })
    }

    /// The lines at which an anchor is in a change, and in per mille how sure that is.
    pub fn lines(&self, anchor: &Anchor, base: &str, head: &str) -> String {
        let position = self.position(anchor, base, head);
        let span = position.site().and_then(|site| site.range).expect("it has lines").span();
        format!("{}-{} {}", span.first(), span.last(), position.confidence().per_mille())
    }

    fn position(&self, anchor: &Anchor, base: &str, head: &str) -> Position {
        let (from, to) = (self.tree(base), self.tree(head));
        let base_id = Base { tree: from, commit: Some(self.repo.commit_id(base)) };
        let head_id = Head { tree: to, commit: Some(self.repo.commit_id(head)) };
        let handle = self.repo.open().handle();
        let found = locate_change(&handle, std::slice::from_ref(anchor), base_id, head_id, NonZeroUsize::MIN);
        found.into_iter().next().expect("one was asked").expect("it can be located")
    }

    /// As [`Self::seen`], where only the head is known; `at` is where the place is read.
    pub fn seen_alone(&self, anchor: &Anchor, head: &str, at: &str) -> String {
        let head = Head { tree: self.tree(head), commit: Some(self.repo.commit_id(head)) };
        let handle = self.repo.open().handle();
        let found = locate(&handle, std::slice::from_ref(anchor), head, NonZeroUsize::MIN);
        let position = found.into_iter().next().expect("one was asked").expect("it can be located");
        self.told(&position, at)
    }

    pub fn told(&self, position: &Position, rev: &str) -> String {
        let (state, reason) = (position.state(), position.reason());
        let Some(site) = position.site() else { return format!("{state} {reason}") };
        let Some(range) = site.range else { return format!("{state} {reason} {}", site.path) };
        let content = self.content(rev, &site.path.to_string());
        let (first, last) = (range.span().first(), range.span().last());
        let there = content.lines().skip(first as usize - 1).take((last - first + 1) as usize);
        let there: Vec<&str> = there.map(|line| line.trim_end_matches("();")).collect();
        format!("{state} {reason} {}:{first} {}", site.path, there.join(" "))
    }

    pub fn content(&self, rev: &str, file: &str) -> String {
        self.repo.git(&["show", &format!("{rev}:{file}")]) + "\n"
    }

    pub fn tree(&self, rev: &str) -> TreeId {
        self.repo.object_id(&format!("{rev}^{{tree}}")).raw().into()
    }
}

pub fn path(name: &str) -> RepoPath {
    RepoPath::new(name).expect("the name is plain")
}

/// The lines of `content` from the one that says `first` to the one that says `last`.
fn range(content: &str, first: &str, last: &str) -> Range {
    let number = |word: &str| {
        let line = content.lines().position(|line| line == format!("{word}();"));
        line.expect("the commented line is there") as u32 + 1
    };
    Range::lines(LineSpan::from_numbers(number(first), number(last)).expect("the lines run forward"))
}

/// Comments on an added, a kept and a deleted line of `topic`, and on a deleted block.
pub struct Comments {
    pub added: Anchor,
    pub kept: Anchor,
    pub deleted: Anchor,
    pub block: Anchor,
}

impl Comments {
    pub fn on(change: &Change<'_>) -> Self {
        Self {
            added: change.on_new("topic", "f.rs", "added"),
            kept: change.on_new("topic", "f.rs", "golf"),
            deleted: change.on_old("main", "topic", "f.rs", "kilo", "kilo"),
            block: change.on_old("main", "topic", "f.rs", "tango", "uniform"),
        }
    }

    /// Expects where the four of them are in the change from `base` to `head`.
    pub fn check(&self, change: &Change<'_>, base: &str, head: &str, expected: [&str; 4]) {
        let seen = [&self.added, &self.kept, &self.deleted, &self.block]
            .map(|anchor| change.seen(anchor, base, head));
        assert_eq!(seen, expected, "in {base}..{head}");
    }
}
