//! What a client needs that lets git print a diff: which commits are compared, and what is said in the threads.

use postil_protocol::{
    ByteText, Comment, Detail, Diff, HeadName, List, Place, ReplyTo, Show, Span, Suggest, SuggestionState,
    ThreadView,
};
use postil_testkit::Sandbox;

use crate::asker::{Asker, service};

#[test]
fn a_diff_can_be_asked_for_its_ends_alone() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    let whole = ann.ask(Diff::default());
    let ends = ann.ask(Diff { ends_only: true, ..Diff::default() });
    assert_eq!((&ends.base, &ends.head.commit), (&whole.base, &whole.head.commit));
    assert!(!whole.files.is_empty() && ends.files.is_empty() && ends.threads.is_empty());
    let at = HeadName::Rev("HEAD~1".into());
    let named = ann.ask(Diff { base: Some("HEAD".into()), head: at, ends_only: true, ..Diff::default() });
    let commit = |rev: &str| Some(repo.git(&["rev-parse", rev]));
    assert_eq!(named.base.map(|base| base.to_string()), commit("HEAD"));
    assert_eq!(named.head.commit.map(|head| head.to_string()), commit("HEAD~1"));
    let unknown = Diff { base: Some("nosuch".into()), ends_only: true, ..Diff::default() };
    assert!(ann.try_ask(unknown).is_err());
}

#[test]
fn what_the_first_commit_adds_is_compared_with_nothing() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let first = repo.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let asked = Diff {
        base: Some(format!("{first}^")),
        head: HeadName::Rev(first.clone()),
        commits: true,
        ..Diff::default()
    };
    let diff = ann.ask(asked);
    assert_eq!((diff.base, diff.commits.len()), (None, 1));
    assert!(
        !diff.files.is_empty() && diff.files.iter().all(|file| file.before.is_none() && file.deleted == 0)
    );
    // Of any other name, it is an error still.
    let unknown = Diff { base: Some(format!("{first}^^")), ..Diff::default() };
    assert!(ann.try_ask(unknown).is_err());
}

#[test]
fn comments_without_what_is_around_their_lines_can_be_listed() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let to = ann.comment("a.txt", 4, "here");
    ann.ask(ReplyTo { to, text: "there".into(), suggestion: None, draft: false, resolve: false });
    let listed = |detail: Detail| ann.ask(List { detail, ..List::default() }).threads.remove(0);
    let (brief, comments, full) = (listed(Detail::Brief), listed(Detail::Comments), listed(Detail::Full));
    let said =
        |thread: &ThreadView| thread.comments.iter().map(|comment| comment.text.clone()).collect::<Vec<_>>();
    assert_eq!(
        (said(&brief).len(), said(&comments), said(&comments)),
        (1, said(&full), vec!["here".into(), "there".into()])
    );
    let (around, none) = (full.anchor.expect("it is on a line"), comments.anchor.expect("it is on a line"));
    assert!(!around.before.is_empty() && none.before.is_empty() && none.after.is_empty());
    assert_eq!(none.lines, around.lines);
}

#[test]
fn a_diff_says_of_a_thread_what_is_shown_of_it_alone() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.write("guide.md", "# Guide\n\nSome *plain* words.\n");
    repo.git(&["add", "guide.md"]);
    repo.git(&["commit", "-qm", "guide"]);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let on = |place: Place, suggestion| Comment {
        place: Some(place),
        message: None,
        text: "so".into(),
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion,
        draft: false,
    };
    let lines = Place { span: Some(Span::lines(4, 4)), ..Place::file("a.txt") };
    ann.ask(on(lines, Some(Suggest::Replacement(ByteText::from("another\n")))));
    ann.ask(on(Place { quote: Some("plain words".into()), ..Place::file("guide.md") }, None));
    let diff = ann.ask(Diff::default());
    let lines = diff.files.iter().flat_map(|file| &file.lines);
    let threads: Vec<_> = lines.flat_map(|line| &line.threads).collect();
    assert_eq!(threads.len(), 2);
    for thread in threads {
        let of = thread.id.to_string();
        assert_eq!(*thread, ann.ask(Show { of, ..Show::default() }).thread);
    }
    let suggestion = |thread: &ThreadView| thread.comments[0].suggestion.clone();
    let lines = diff.files.iter().flat_map(|file| &file.lines);
    let suggested = lines.flat_map(|line| &line.threads).find_map(suggestion).expect("one is suggested");
    assert_eq!(suggested.state, SuggestionState::Applies);
    assert!(suggested.diff.is_some_and(|diff| diff.as_str().unwrap().contains("+another")));
}
