//! Comments on messages of commits: written, followed, moved, proposed, exported and imported.

use postil_core::record::Body;
use postil_protocol::{
    AnswerProposals, ByteText, Changes, Comment, Detail, Export, ExportFormat, FaultCode, Filter, HeadName,
    Import, ImportFormat, ImportedFile, List, Log, MessagePlace, Move, MoveTo, PlaceState, ProposalAnswer,
    Propose, Scope, Show, Span, Suggest, ThreadView,
};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};
use crate::topic;

const MESSAGE: &str = "Read the file\n\nIt was not read before.\n\nIt is slow.\n";

/// A branch whose last commit has a message of five lines.
fn repository(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = topic(sandbox, 5);
    repo.git(&["commit", "--quiet", "--amend", "-m", MESSAGE]);
    repo
}

fn on(rev: &str, line: u32) -> MessagePlace {
    MessagePlace { rev: rev.into(), span: Some(Span::lines(line, line)) }
}

fn comment(ann: &Asker<'_>, rev: &str, line: u32, text: &str) -> ThreadView {
    ann.ask(Comment { message: Some(on(rev, line)), ..said(None, text) }).thread
}

fn told(thread: &ThreadView) -> (PlaceState, String, Option<u32>) {
    let position = thread.position.as_ref().unwrap();
    (position.state, position.message.as_ref().unwrap().commit.as_str().to_owned(), position.start)
}

fn id(repo: &Checkout<'_>, rev: &str) -> String {
    repo.git(&["rev-parse", rev]).trim().to_owned()
}

#[test]
fn a_comment_on_a_message_is_written_followed_and_told() {
    let sandbox = Sandbox::in_memory();
    let repo = repository(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let thread = comment(&ann, "HEAD", 5, "how slow?");
    assert_eq!(told(&thread), (PlaceState::Anchored, id(&repo, "HEAD"), Some(5)));
    assert!(thread.review.is_some(), "it starts a review as any other comment");
    let since = ann.list().mark;

    let reworded = MESSAGE.replace("It was", "For years,\nit was");
    repo.git(&["commit", "--quiet", "--amend", "-m", &reworded]);
    let listed = ann.list().threads;
    assert_eq!(told(&listed[0]), (PlaceState::Anchored, id(&repo, "HEAD"), Some(6)));
    let placed = ann.ask(Changes { since: Some(since), ..Changes::default() }).placed;
    let [moved] = &placed[..] else { panic!("{placed:?}") };
    assert_eq!(moved.from.as_ref().unwrap().start, Some(5));
    assert_eq!(moved.to.as_ref().unwrap().start, Some(6));
    let line = &ann.ask(List { detail: Detail::Line, ..List::default() }).lines[0];
    let site = line.message.as_ref().unwrap();
    assert_eq!((site.subject.as_str(), line.lines.as_deref()), (Some("Read the file"), Some("6")));
    assert_eq!(line.doubt.as_ref().unwrap().position.reason, "rewritten");
    let shown = ann.ask(Show { of: thread.id.as_str().into(), ..Show::default() });
    let lines: Vec<(u32, &str)> =
        shown.lines.iter().map(|(at, text)| (*at, text.as_str().unwrap())).collect();
    assert_eq!(lines, [(3, "For years,"), (4, "it was not read before."), (5, ""), (6, "It is slow.")]);
    let log = ann.ask(Log { of: thread.id.as_str().into() });
    assert_eq!(log.steps.iter().map(|step| step.position.start).collect::<Vec<_>>(), [Some(6), Some(5)]);
    assert!(log.steps[1].rewritten && !log.steps[0].rewritten);

    // A later commit leaves it alone, and a file is another thing.
    repo.write("b.txt", "b\n");
    repo.git(&["add", "b.txt"]);
    repo.git(&["commit", "--quiet", "-m", "More"]);
    assert_eq!(told(&ann.list().threads[0]), (PlaceState::Anchored, id(&repo, "HEAD~1"), Some(6)));
    let filter = Filter { paths: vec!["a.txt".into()], ..Filter::default() };
    assert_eq!(ann.ask(List { filter, ..List::default() }).threads.len(), 0);
    // Without its commit it is orphaned.
    repo.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    let listed = ann.list().threads;
    let position = listed[0].position.as_ref().unwrap();
    assert_eq!((position.state, position.reason.as_str()), (PlaceState::Orphaned, "commit-gone"));
}

#[test]
fn messages_come_before_files_in_the_order_of_their_commits() {
    let sandbox = Sandbox::in_memory();
    let repo = repository(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "on a file");
    ann.ask(said(None, "on the review"));
    comment(&ann, "HEAD", 5, "below");
    comment(&ann, "HEAD", 1, "above");
    let texts: Vec<String> =
        ann.list().threads.iter().map(|thread| thread.comments[0].text.clone()).collect();
    assert_eq!(texts, ["on the review", "above", "below", "on a file"]);
    // A page at a time gives the same.
    let mut page = ann.ask(List { limit: Some(1), ..List::default() });
    let mut paged = vec![page.threads[0].comments[0].text.clone()];
    while page.next.is_some() {
        page = ann.ask(List { limit: Some(1), cursor: page.next, ..List::default() });
        paged.push(page.threads[0].comments[0].text.clone());
    }
    assert_eq!(paged, texts);
}

#[test]
fn a_comment_is_moved_to_a_message_and_stays_where_a_person_put_it() {
    let sandbox = Sandbox::in_memory();
    let repo = repository(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let file = ann.comment("a.txt", 2, "why?");
    let to = |of: &str, to: MoveTo| ann.try_ask(Move { of: of.to_owned(), to });
    let moved = to(&file, MoveTo::Message(on("HEAD", 3))).unwrap();
    assert_eq!(told(&moved.threads[0]), (PlaceState::Anchored, id(&repo, "HEAD"), Some(3)));
    repo.git(&["commit", "--quiet", "--amend", "-m", &MESSAGE.replace("not read", "hardly read")]);
    assert_eq!(told(&ann.list().threads[0]).0, PlaceState::Outdated);
    let kept = to(&file, MoveTo::Candidate(0)).unwrap();
    assert_eq!(told(&kept.threads[0]), (PlaceState::Anchored, id(&repo, "HEAD"), Some(3)));
    assert_eq!(to(&file, MoveTo::Candidate(1)).unwrap_err().code, FaultCode::NoSuchPlace);
    // A program proposes, a person accepts.
    let place = Some(on("HEAD", 5));
    ann.ask(Propose { threads: vec![file.clone()], message: place, ..Propose::default() });
    let accepted =
        ann.ask(AnswerProposals { threads: vec![file], answer: ProposalAnswer::Accept, reason: None });
    assert_eq!(told(&accepted.threads[0]).2, Some(5));
}

#[test]
fn what_is_not_there_cannot_be_commented_on() {
    let sandbox = Sandbox::in_memory();
    let repo = repository(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let code = |comment: Comment| ann.try_ask(comment).unwrap_err().code;
    assert_eq!(code(Comment { message: Some(on("HEAD", 6)), ..said(None, "x") }), FaultCode::NoSuchPlace);
    assert_eq!(code(Comment { message: Some(on("nowhere", 1)), ..said(None, "x") }), FaultCode::NoSuchPlace);
    let block = "so:\n```suggestion\nx\n```\n";
    assert_eq!(code(Comment { message: Some(on("HEAD", 1)), ..said(None, block) }), FaultCode::Refused);
    let suggestion = Some(Suggest::Replacement("x".into()));
    let with = Comment { message: Some(on("HEAD", 1)), suggestion, ..said(None, "x") };
    assert_eq!(code(with), FaultCode::InvalidParams);
    assert!(ann.list().threads.is_empty());
}

#[test]
fn a_thread_on_a_message_survives_export_and_import() {
    let sandbox = Sandbox::in_memory();
    let repo = repository(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    comment(&ann, "HEAD", 5, "how slow?");
    ann.ask(Comment {
        message: Some(MessagePlace { rev: "HEAD".into(), span: None }),
        ..said(None, "all of it")
    });
    let export = |format: ExportFormat| {
        let (scope, filter, head) = (Scope::All, Filter::default(), HeadName::default());
        ann.ask(Export { format, scope, filter, head, limit: None })
    };
    for format in [ExportFormat::Rdjson, ExportFormat::Comments] {
        assert_eq!(export(format).left_out, 2, "these formats know files alone");
    }
    let exported = export(ExportFormat::Json);
    assert_eq!((exported.threads, exported.left_out), (2, 0));
    // Another repository has the same work as another commit.
    let elsewhere = Sandbox::in_memory();
    let other = topic(&elsewhere, 5);
    let text = MESSAGE.replace("It was", "For years,\nit was");
    other.git(&["commit", "--quiet", "--amend", "-m", &text]);
    let ben = Asker::new(&service, "ben", &other.dir);
    let content = ByteText::new(exported.files[0].text.as_bytes());
    let file =
        ImportedFile { format: Some(ImportFormat::Json), name: "threads".into(), content, about: None };
    let imported = ben.ask(Import { files: vec![file], ..Import::default() });
    assert_eq!((imported.added.len(), imported.refused.len()), (2, 0), "{imported:?}");
    let places: Vec<_> = ben.list().threads.iter().map(told).collect();
    let head = id(&other, "HEAD");
    assert_eq!(places, [(PlaceState::Anchored, head.clone(), None), (PlaceState::Anchored, head, Some(6))]);
    assert_eq!(imported.displaced, 2);
}

#[test]
fn the_record_of_a_comment_on_a_message_has_the_second_version_and_no_other_does() {
    let sandbox = Sandbox::in_memory();
    let repo = repository(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    comment(&ann, "HEAD", 5, "how slow?");
    ann.comment("a.txt", 2, "on a file");
    let contents = repo.store().read().unwrap();
    let mut versions: Vec<(bool, u8)> = contents
        .records()
        .filter_map(|(_, record)| match record.body() {
            Ok(Body::Comment(comment)) => {
                let on_message = comment.anchor.as_ref().is_some_and(|on| on.message().is_some());
                Some((on_message, record.version()))
            }
            _ => None,
        })
        .collect();
    versions.sort_unstable();
    assert_eq!(versions, [(false, 1), (true, 2)]);
}
