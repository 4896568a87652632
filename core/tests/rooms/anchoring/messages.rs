//! Comments on messages of commits that were reworded, amended, rebased, squashed or picked.

use postil_core::anchoring::{MessagePosition, Stop, anchor_at_message, locate_messages};
use postil_core::git::CommitId;
use postil_core::record::{LineSpan, MessageAnchor, PositionState, Range};
use postil_testkit::{Files, ObjectWorld};

const MESSAGE: &str =
    "Read the file\n\nIt was not read before, so that nobody\nsaw what it says.\n\nIt is slow.\n";

/// The line `It is slow.`.
const SLOW: u32 = 6;

struct Messages {
    world: ObjectWorld,
    base: CommitId,
}

impl Messages {
    fn new() -> Self {
        let world = ObjectWorld::new();
        let base = world.commit_called("base", &files("one\n", ""), &[]);
        Self { world, base }
    }

    /// A commit that was written at a time by its author, whenever it was rewritten.
    fn commit(&self, authored: u32, message: &str, files: &Files<'_>, parent: CommitId) -> CommitId {
        let time = format!("{authored} +0000");
        let author = gix::actor::SignatureRef { name: "a".into(), email: "a@b".into(), time: &time };
        let committer = gix::actor::SignatureRef { name: "c".into(), email: "c@d".into(), time: "99 +0000" };
        let tree = self.world.tree(files).raw();
        let made = self.world.repo.new_commit_as(committer, author, message, tree, [parent.raw()]);
        made.unwrap().id.into()
    }

    fn at(&self, anchor: &MessageAnchor, head: CommitId) -> MessagePosition {
        locate_messages(&self.world.repo, &[anchor], head, &Stop::default()).remove(0).unwrap()
    }
}

fn files(one: &str, two: &str) -> Files<'static> {
    let all = [("one", one.to_owned()), ("two", two.to_owned())];
    all.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

fn on_line(commit: CommitId, message: &str, line: u32) -> MessageAnchor {
    anchor_at_message(commit, message.as_bytes(), LineSpan::from_numbers(line, line).map(Range::lines))
        .unwrap()
}

fn told(position: &MessagePosition) -> String {
    let state = match position.state {
        PositionState::Anchored => "anchored",
        PositionState::Shifted => "shifted",
        PositionState::Outdated => "outdated",
        PositionState::Orphaned => "orphaned",
    };
    let line = position.range.map(|range| range.span().first().to_string()).unwrap_or_default();
    format!("{state} {} {line}", position.reason).trim_end().to_owned()
}

/// Where `It is slow.` is after its commit was rewritten with this message, author's time and file.
fn check(authored: u32, message: &str, file: &str, expected: &str) {
    let messages = Messages::new();
    let base = messages.base;
    let own = messages.commit(5, MESSAGE, &files("one\ntwo\n", ""), base);
    let anchor = on_line(own, MESSAGE, SLOW);
    assert_eq!(told(&messages.at(&anchor, own)), "anchored translated 6");
    let later = messages.commit(8, "more", &files("one\ntwo\n", "x\n"), own);
    assert_eq!(told(&messages.at(&anchor, later)), "anchored translated 6");
    let rewritten = messages.commit(authored, message, &files(file, ""), base);
    let head = messages.commit(9, "more", &files(file, "x\n"), rewritten);
    let position = messages.at(&anchor, head);
    assert_eq!(told(&position), expected, "{message}");
    if position.state != PositionState::Orphaned {
        assert_eq!(position.site.commit, rewritten, "{message}");
    }
    assert_eq!(told(&messages.at(&anchor, base)), "orphaned commit-gone", "the base has no such commit");
}

#[test]
fn a_line_of_a_message_follows_its_commit_when_that_is_rewritten() {
    let same = "one\ntwo\n";
    let amended = "one\ntwo\nthree\n";
    let above = MESSAGE.replace("It was not", "For years,\nit was not");
    let reworded = MESSAGE.replace("It is slow.", "It is rather slow.");
    let dropped = MESSAGE.replace("\nIt is slow.\n", "");
    // Amended, with the same message; by its author's time, or by its message.
    check(5, MESSAGE, amended, "anchored rewritten 6");
    check(7, MESSAGE, amended, "anchored rewritten 6");
    // Reworded: by its patch.
    check(7, &above, same, "anchored rewritten 7");
    check(7, &reworded, same, "outdated changed-in-place 6");
    check(7, &dropped, same, "orphaned deleted");
    // Both.
    check(5, &above, amended, "anchored rewritten 7");
    // Something else, with other words: nobody knows.
    check(7, "Write the file\n", amended, "orphaned commit-gone");
    // Somebody else's words around it.
    check(7, "Write the file\n\nIt is slow.\n", "other\n", "shifted text 3");
}

#[test]
fn a_change_id_names_a_commit_whatever_it_says() {
    let messages = Messages::new();
    let base = messages.base;
    let said = format!("{MESSAGE}\nChange-Id: I0123\n");
    let own = messages.commit(5, &said, &files("one\ntwo\n", ""), base);
    let anchor = on_line(own, &said, SLOW);
    let same_words = messages.commit(6, MESSAGE, &files("one\ntwo\n", ""), base);
    let new = "Another subject\n\nIt is slow.\n\nChange-Id: I0123\n";
    let head = messages.commit(7, new, &files("other\n", ""), same_words);
    let position = messages.at(&anchor, head);
    assert_eq!((told(&position).as_str(), position.site.commit), ("anchored rewritten 3", head));
}

#[test]
fn a_squash_joins_messages_and_the_line_is_found_in_both() {
    let messages = Messages::new();
    let base = messages.base;
    let first = messages.commit(5, "Add a file\n\nIt is new.\n", &files("one\ntwo\n", ""), base);
    let second = messages.commit(6, MESSAGE, &files("one\ntwo\n", "x\n"), first);
    let anchors = [on_line(first, "Add a file\n\nIt is new.\n", 3), on_line(second, MESSAGE, SLOW)];
    let joined = format!("Add a file\n\nIt is new.\n\n{MESSAGE}");
    let squashed = messages.commit(5, &joined, &files("one\ntwo\n", "x\n"), base);
    let found = anchors.each_ref().map(|anchor| told(&messages.at(anchor, squashed)));
    assert_eq!(found, ["anchored rewritten 3", "shifted text 10"]);
    // A fixup drops the second message.
    let fixed = messages.commit(5, "Add a file\n\nIt is new.\n", &files("one\ntwo\n", "x\n"), base);
    let found = anchors.each_ref().map(|anchor| told(&messages.at(anchor, fixed)));
    assert_eq!(found, ["anchored rewritten 3", "orphaned commit-gone"]);
}

#[test]
fn commits_of_one_second_are_told_apart_by_what_they_change() {
    let messages = Messages::new();
    let base = messages.base;
    let own = messages.commit(5, MESSAGE, &files("one\ntwo\n", ""), base);
    let anchor = on_line(own, MESSAGE, SLOW);
    let mended = MESSAGE.replace("Read", "Really read");
    let rewritten = messages.commit(5, &mended, &files("one\ntwo\nthree\n", ""), base);
    let head = messages.commit(5, "Other\n", &files("one\ntwo\nthree\n", "x\n"), rewritten);
    assert_eq!(messages.at(&anchor, head).site.commit, rewritten);
}

#[test]
fn a_clone_without_the_commit_goes_by_the_words() {
    let messages = Messages::new();
    let missing = CommitId::from_bytes(&[7; 20]).unwrap();
    let line = on_line(missing, MESSAGE, SLOW);
    let whole = anchor_at_message(missing, MESSAGE.as_bytes(), None).unwrap();
    let above = MESSAGE.replace("It was not", "For years,\nit was not");
    let head = messages.commit(5, &above, &files("one\ntwo\n", ""), messages.base);
    let reverted = format!("Revert \"{}\"\n\nIt is slow.\n", "Read the file");
    let later = messages.commit(5, &reverted, &files("one\n", ""), head);
    for tip in [head, later] {
        assert_eq!(told(&messages.at(&line, tip)), "shifted text 7");
        let position = messages.at(&whole, tip);
        assert_eq!((told(&position).as_str(), position.site.commit), ("shifted text", head));
    }
    assert_eq!(told(&messages.at(&line, messages.base)), "orphaned commit-gone");
    let copy = messages.commit(6, &above, &files("one\n", "y\n"), later);
    assert_eq!(told(&messages.at(&line, copy)), "orphaned ambiguous", "two commits say the same");
}

#[test]
fn lines_that_a_message_does_not_have_cannot_be_commented_on() {
    let commit = CommitId::from_bytes(&[7; 20]).unwrap();
    let range = |first, last| LineSpan::from_numbers(first, last).map(Range::lines);
    let error = anchor_at_message(commit, MESSAGE.as_bytes(), range(6, 7)).unwrap_err();
    assert!(error.to_string().ends_with("its last line is 6"), "{error}");
    assert!(anchor_at_message(commit, b"", range(1, 1)).is_err());
    assert_eq!(anchor_at_message(commit, b"", None).unwrap().after, []);
}
