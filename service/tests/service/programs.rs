//! Agents and tools: what they write in whose name, what they may do, and what becomes of what they propose.

use std::fs;

use postil_core::notes::Home;
use postil_core::record::{
    Author, Body, CommentAnchor, CommentRecord, Line, LineSpan, MessageAnchor, Range, Record, Seq, Timestamp,
};
use postil_protocol::{
    AnswerProposals, ChangeKind, Changes, CommentTrust, Fault, FaultCode, List, ListReply, Move, MoveTo,
    Place, ProposalAnswer, ProposalStatus, Propose, Publish, ReplyTo, Resolve, ReviewAsk, ReviewShow,
    ReviewStart, Scope, Show, Span, ThreadStatus, ThreadView, ViaView,
};
use postil_service::Service;
use postil_testkit::{Checkout, Sandbox, by_alice};

use crate::asker::{Asker, said, service};
use crate::topic;

fn program<'a>(service: &'a Service, repo: &Checkout<'_>, kind: &str, name: &str) -> Asker<'a> {
    let (version, model, person) = (Some("2.1".into()), None, None);
    let via = ViaView { kind: kind.into(), program: name.into(), version, model, person };
    Asker { via: Some(via), ..Asker::new(service, "ann", &repo.dir) }
}

fn reason(fault: &Fault) -> (&str, &'static str) {
    let advice = fault.advice().map_or("", |advice| advice.word());
    (fault.data.reason.as_deref().unwrap_or_default(), advice)
}

#[test]
fn what_a_tool_writes_names_the_tool_as_its_author_and_the_person_beside() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 5);
    let service = service();
    let tool = program(&service, &repo, "tool", "lint");
    let place = Place { span: Some(Span::lines(2, 2)), ..Place::file("a.txt") };
    let written = tool.ask(said(Some(place), "too long"));
    let author = &written.thread.comments[0].author;
    assert_eq!((author.name.as_str(), author.email.as_str()), ("lint", "lint+ann=example.com@tool.invalid"));
    let via = author.via.as_ref().unwrap();
    assert_eq!(
        (via.kind.as_str(), via.program.as_str(), via.version.as_deref()),
        ("tool", "lint", Some("2.1"))
    );
    assert_eq!(via.person.as_ref().unwrap().email, "ann@example.com");
    assert_eq!(written.thread.comments[0].trust, CommentTrust::Here);

    let ann = Asker::new(&service, "ann", &repo.dir);
    let listed = ann.list();
    assert_eq!(listed.threads[0].comments[0].author, *author, "read again from the notes");
    assert_eq!(listed.threads[0].review.as_ref(), written.opened.as_ref().map(|review| &review.id));
    assert_eq!(written.opened.unwrap().author.via, author.via, "also of the review that it opened");
    let fault = ann.try_ask(postil_protocol::Withdraw { comments: vec!["@".into()], reason: None });
    assert_eq!(fault.unwrap_err().code, FaultCode::NotYours, "a person's words are not their tool's");
}

#[test]
fn an_agent_reads_and_does_nothing_else_unless_a_person_allowed_it_for_themselves() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 5);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let thread = ann.comment("a.txt", 2, "why?");
    // The repository cannot allow it: whoever made its configuration would decide for its users.
    repo.git(&["config", "postil.agents", "write"]);
    let agent = program(&service, &repo, "agent", "helper");
    assert_eq!(agent.list().threads.len(), 1);
    let refused = |fault: Result<_, Fault>| fault.map(|_: postil_protocol::WrittenReply| ()).unwrap_err();
    let comment = refused(agent.try_ask(said(None, "mine")));
    assert_eq!((comment.code, reason(&comment)), (FaultCode::Refused, ("not-allowed", "allow-agents")));
    let reply =
        ReplyTo { to: thread.clone(), text: "done".into(), suggestion: None, draft: true, resolve: false };
    assert_eq!(reason(&refused(agent.try_ask(reply.clone()))).1, "allow-agents");
    let resolving = ReplyTo { resolve: true, ..reply };
    assert_eq!(reason(&refused(agent.try_ask(resolving.clone()))).1, "propose-instead");
    let tool = program(&service, &repo, "tool", "lint");
    assert_eq!(reason(&refused(tool.try_ask(resolving))).1, "propose-instead");
    let resolve = Resolve { threads: vec![thread.clone()], reason: None, by: None };
    assert_eq!(reason(&agent.try_ask(resolve).unwrap_err()).1, "propose-instead");
    let moved = Move { of: thread, to: MoveTo::Candidate(0) };
    assert_eq!(reason(&agent.try_ask(moved).unwrap_err()).1, "propose-instead");
    assert_eq!(ann.list().threads[0].replies, 0);

    let robot = program(&service, &repo, "robot", "helper");
    assert_eq!(robot.try_ask(List::default()).unwrap_err().code, FaultCode::InvalidParams);
}

#[test]
fn a_person_accepts_or_declines_what_was_proposed() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let tool = program(&service, &repo, "tool", "lint");
    let (one, two) = (ann.comment("a.txt", 2, "why?"), ann.comment("a.txt", 5, "how?"));
    let head = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let since = ann.list().mark;
    let proposed = tool.ask(Propose {
        threads: vec![one.clone(), two.clone()],
        text: "both are fixed".into(),
        ..Propose::default()
    });
    for thread in &proposed.threads {
        assert_eq!(thread.status, ThreadStatus::Open, "nothing changes by itself");
        let [proposal] = &thread.proposals[..] else { panic!("{thread:?}") };
        assert_eq!((proposal.state, proposal.text.as_str()), (ProposalStatus::Pending, "both are fixed"));
        assert_eq!(proposal.done.as_ref().unwrap().as_str(), head);
        assert_eq!(proposal.author.via.as_ref().unwrap().program, "lint");
    }
    let lines = ann.ask(List { detail: postil_protocol::Detail::Line, ..List::default() }).lines;
    assert_eq!(lines.iter().map(|line| line.pending).collect::<Vec<_>>(), [1, 1]);
    let changes = ann.ask(Changes { since: Some(since), ..Changes::default() }).changes;
    assert!(changes.iter().all(|change| change.what == ChangeKind::Proposed) && changes.len() == 2);

    let answer = |threads: &str, answer: ProposalAnswer| {
        ann.try_ask(AnswerProposals { threads: vec![threads.to_owned()], answer, reason: None })
    };
    let accepted = &answer(&one, ProposalAnswer::Accept).unwrap().threads[0];
    assert_eq!(
        (accepted.status, accepted.proposals[0].state),
        (ThreadStatus::Resolved, ProposalStatus::Accepted)
    );
    assert_eq!(accepted.status_by.as_ref().unwrap().commit.as_ref().unwrap().as_str(), head);
    let declined = &answer(&two, ProposalAnswer::Decline).unwrap().threads[0];
    assert_eq!(
        (declined.status, declined.proposals[0].state),
        (ThreadStatus::Open, ProposalStatus::Declined)
    );
    assert_eq!(answer(&two, ProposalAnswer::Accept).unwrap_err().code, FaultCode::NotFound);
    let by_tool = tool.try_ask(AnswerProposals {
        threads: vec![two.clone()],
        answer: ProposalAnswer::Accept,
        reason: None,
    });
    assert_eq!(reason(&by_tool.unwrap_err()).0, "not-allowed");

    let place = Place { span: Some(Span::lines(7, 7)), ..Place::file("a.txt") };
    tool.ask(Propose { threads: vec![two.clone()], place: Some(place), ..Propose::default() });
    let moved = &answer(&two, ProposalAnswer::Accept).unwrap().threads[0];
    assert_eq!(moved.position.as_ref().unwrap().start, Some(7));
    assert_eq!(moved.proposals[1].state, ProposalStatus::Accepted);
}

#[test]
fn what_no_longer_fits_the_code_is_resolved_without_a_commit_once_a_person_accepts_it() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let tool = program(&service, &repo, "tool", "lint");
    let thread = ann.comment("a.txt", 2, "why?");
    let proposes = |obsolete: bool| Propose { threads: vec![thread.clone()], obsolete, ..Propose::default() };
    tool.ask(proposes(false));
    let proposed = &tool.ask(proposes(true)).threads[0];
    assert_eq!((proposed.status, proposed.proposals[1].obsolete), (ThreadStatus::Open, true));
    assert_eq!(proposed.proposals[0].state, ProposalStatus::Replaced, "both say that nothing is left to do");
    let place = Some(Place::file("a.txt"));
    let fault = tool.try_ask(Propose { place, ..proposes(true) }).unwrap_err();
    assert_eq!(fault.code, FaultCode::InvalidParams);
    let accept = AnswerProposals { threads: vec![thread], answer: ProposalAnswer::Accept, reason: None };
    let accepted = &ann.ask(accept).threads[0];
    assert_eq!(accepted.status, ThreadStatus::Resolved);
    assert_eq!(accepted.status_by.as_ref().unwrap().commit, None, "nothing was done about it");
    assert!(accepted.proposals[1].obsolete && accepted.proposals[1].state == ProposalStatus::Accepted);
}

#[test]
fn a_kept_list_counts_no_proposal_whose_lines_changed_where_they_are() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let thread = ann.comment("a.txt", 2, "why?");
    let content = |second: &str| {
        let before = (1..=9).map(|line| format!("line {line}\n")).collect::<String>();
        before.replace("line 2", second)
    };
    repo.commit("a.txt", &content("it is done: A"));
    program(&service, &repo, "tool", "lint").ask(Propose { threads: vec![thread], ..Propose::default() });
    let pending = || {
        let lines = List { detail: postil_protocol::Detail::Line, ..List::default() };
        let told: ListReply = serde_json::from_slice(&ann.told(lines)).unwrap();
        told.lines[0].pending
    };
    assert_eq!(pending(), 1);
    fs::write(repo.dir.join("a.txt"), content("it is done: B")).unwrap();
    assert_eq!(pending(), 0);
    fs::write(repo.dir.join("a.txt"), content("it is done: A")).unwrap();
    assert_eq!(pending(), 1);
}

#[test]
fn a_proposal_that_is_a_draft_says_so_until_it_is_published() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let tool = program(&service, &repo, "tool", "lint");
    let thread = ann.comment("a.txt", 2, "why?");
    let proposed = tool.ask(Propose { threads: vec![thread.clone()], draft: true, ..Propose::default() });
    let is_draft = |thread: &ThreadView| thread.proposals.iter().map(|one| one.draft).collect::<Vec<_>>();
    assert_eq!(is_draft(&proposed.threads[0]), [true]);
    ann.ask(Publish::default());
    assert_eq!(is_draft(&ann.ask(Show { of: thread, ..Show::default() }).thread), [false]);
}

#[test]
fn what_is_done_in_uncommitted_files_stands_until_its_lines_change_again() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let tool = program(&service, &repo, "tool", "lint");
    let (thread, other) = (ann.comment("a.txt", 2, "why?"), ann.comment("a.txt", 8, "how?"));
    let file = repo.dir.join("a.txt");
    let before = fs::read_to_string(&file).unwrap();
    let lines = |second: &str| {
        let lines = before.lines().enumerate();
        lines.map(|(at, line)| format!("{}\n", if at == 1 { second } else { line })).collect::<String>()
    };
    fs::write(&file, lines("it is done: A")).unwrap();
    let both = vec![thread.clone(), other.clone()];
    let proposed = tool.ask(Propose { threads: both, ..Propose::default() }).threads;
    let last = |thread: &ThreadView| thread.proposals.last().map(|last| (last.state, last.uncommitted));
    assert_eq!(last(&proposed[0]), Some((ProposalStatus::Pending, true)));
    assert_eq!(last(&proposed[1]), Some((ProposalStatus::Pending, false)), "nothing of it is uncommitted");
    let shown = || {
        let listed = ann.list().threads.into_iter().find(|one| one.id.as_str() == thread).unwrap();
        let shown = ann.ask(Show { of: thread.clone(), ..Show::default() }).thread;
        assert_eq!(last(&listed), last(&shown));
        let lines = List { detail: postil_protocol::Detail::Line, ..List::default() };
        let told: ListReply = serde_json::from_slice(&ann.told(lines)).unwrap();
        let line = told.lines.iter().find(|line| thread.starts_with(&line.short)).unwrap();
        assert_eq!(line.pending == 1, last(&shown).unwrap().0 == ProposalStatus::Pending, "{line:?}");
        last(&shown).unwrap()
    };
    assert_eq!(shown(), (ProposalStatus::Pending, true));
    // Changed where it is, or undone: it does not stand.
    for other in [lines("it is done: B"), before.clone()] {
        fs::write(&file, other).unwrap();
        assert_eq!(shown(), (ProposalStatus::Overtaken, true));
        let accept =
            AnswerProposals { threads: vec![thread.clone()], answer: ProposalAnswer::Accept, reason: None };
        assert_eq!(ann.try_ask(accept).unwrap_err().code, FaultCode::Conflict);
    }
    // As it was proposed, with another line above, and committed: it stands.
    fs::write(&file, format!("// above\n{}", lines("it is done: A"))).unwrap();
    assert_eq!(shown(), (ProposalStatus::Pending, true));
    repo.git(&["commit", "--quiet", "--all", "--message", "done"]);
    assert_eq!(shown(), (ProposalStatus::Pending, true));
    let accept =
        AnswerProposals { threads: vec![thread.clone()], answer: ProposalAnswer::Accept, reason: None };
    let accepted = &ann.ask(accept).threads[0];
    assert_eq!(accepted.status, ThreadStatus::Resolved);
    assert_eq!(
        accepted.status_by.as_ref().unwrap().commit,
        None,
        "the commit of the proposal does not have it"
    );
}

#[test]
fn a_thread_says_by_which_commit_it_was_resolved() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 5);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let thread = ann.comment("a.txt", 2, "why?");
    let by = |rev: &str| {
        ann.try_ask(Resolve { threads: vec![thread.clone()], reason: None, by: Some(rev.to_owned()) })
    };
    assert_eq!(by("nowhere").unwrap_err().code, FaultCode::NoSuchPlace);
    let resolved = &by("HEAD").unwrap().threads[0];
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(resolved.status_by.as_ref().unwrap().commit.as_ref().unwrap().as_str(), head.trim());
}

#[test]
fn people_are_asked_to_review_and_released() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 5);
    let service = service();
    let (ann, bob) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "bob", &repo.dir));
    ann.ask(ReviewStart::default());
    bob.comment("a.txt", 2, "I am here");
    let ask = |who: &[&str], release: bool| {
        let who = who.iter().map(|who| (*who).to_owned()).collect();
        let reply = ann.try_ask(ReviewAsk { review: None, who, release })?;
        let asked = reply.review.requested.into_iter().map(|asked| asked.who.email);
        Ok::<Vec<String>, Fault>(asked.collect())
    };
    assert_eq!(
        ask(&["bob", "Cat <cat@example.org>", "dan@example.org"], false).unwrap(),
        ["bob@example.com", "cat@example.org", "dan@example.org"]
    );
    assert_eq!(ask(&["bob"], false).unwrap().len(), 3, "who is asked already is asked once");
    assert_eq!(ask(&["bob", "cat"], true).unwrap(), ["dan@example.org"]);
    assert_eq!(ask(&["somebody"], false).unwrap_err().code, FaultCode::NotFound);
    assert_eq!(ask(&["example"], false).unwrap_err().code, FaultCode::Ambiguous);
    let shown = bob.ask(ReviewShow::default()).review;
    assert_eq!((shown.requested.len(), shown.requested[0].author.name.as_str()), (1, "ann"));
}

#[test]
fn what_this_machine_wrote_is_told_from_what_came() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 5);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "written here");
    repo.say("HEAD", "came from elsewhere, with ann's name or not");
    let all = List { scope: Scope::All, ..List::default() };
    let trust = |ann: &Asker<'_>| {
        let threads = ann.ask(all.clone()).threads;
        let mut told: Vec<(bool, CommentTrust)> = threads
            .iter()
            .map(|thread| (thread.comments[0].text.starts_with("written"), thread.comments[0].trust))
            .collect();
        told.sort_by_key(|(own, _)| !own);
        told
    };
    assert_eq!(trust(&ann), [(true, CommentTrust::Here), (false, CommentTrust::Unsigned)]);
    let lines = ann.ask(List { detail: postil_protocol::Detail::Line, ..all.clone() }).lines;
    assert_eq!(lines.iter().filter(|line| line.trust == CommentTrust::Here).count(), 1);
    // Without the list nobody vouches for anything.
    fs::remove_file(repo.dir.join(".git/postil/here")).unwrap();
    assert_eq!(trust(&ann), [(true, CommentTrust::Unsigned), (false, CommentTrust::Unsigned)]);
}

#[test]
fn a_comment_on_a_message_is_read_and_shown_at_its_commit() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 5);
    let commit = repo.commit_id("HEAD");
    let message = MessageAnchor {
        commit,
        range: LineSpan::from_numbers(1, 1).map(Range::lines),
        lines: vec![Line::new(b"Add a file")],
        before: Vec::new(),
        after: Vec::new(),
    };
    let comment = CommentRecord {
        author: Author { name: "Bob".into(), email: "bob@example.com".into() },
        at: Timestamp(1),
        seq: Seq::default(),
        via: None,
        review: None,
        parent: None,
        anchor: Some(CommentAnchor::Message(message)),
        text: "say why".into(),
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    };
    let record = Record::new(&Body::Comment(comment)).unwrap();
    assert_eq!(record.version(), 2);
    let id = record.id().to_string();
    repo.store().batch().add(Home::On(commit.into()), record).write(&by_alice(), "a comment").unwrap();

    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let listed = ann.list();
    let [thread] = &listed.threads[..] else { panic!("{listed:?}") };
    assert_eq!(
        (thread.seen.as_str(), thread.position.is_some(), thread.anchor.is_none()),
        ("history", true, true)
    );
    let on = thread.message.as_ref().unwrap();
    assert_eq!((on.commit.as_str(), on.start, on.end), (&*commit.to_string(), Some(1), Some(1)));
    assert_eq!(on.lines[0].as_ref().unwrap().as_bytes(), b"Add a file");
    let lines = ann.ask(List { detail: postil_protocol::Detail::Line, ..List::default() }).lines;
    let site = lines[0].message.as_ref().unwrap();
    assert_eq!((site.commit.as_str(), lines[0].lines.as_deref()), (&*commit.to_string(), Some("1")));
    assert!(lines[0].doubt.is_none(), "it is where it was put");
    // It can be answered and resolved as any other.
    let reply =
        ReplyTo { to: id.clone(), text: "because".into(), suggestion: None, draft: false, resolve: false };
    assert_eq!(ann.ask(reply).thread.replies, 1);
    let shown =
        ann.ask(Show { of: id.clone(), head: postil_protocol::HeadName::WorkTree, ..Show::default() }).thread;
    assert_eq!(shown.comments.len(), 2);
    let resolved = ann.ask(Resolve { threads: vec![id], reason: None, by: None });
    assert_eq!(resolved.threads[0].status, ThreadStatus::Resolved);
}
