//! What is kept between requests is right, and what changed is computed again.

use postil_core::anchoring::Stop;
use postil_core::notes::refs;
use postil_protocol::{
    Changes, Comment, Detail, Doctor, Edit, FaultCode, Filter, Freshness, HeadName, List, ListReply, Move,
    MoveTo, Place, PlaceState, ReplyTo, Resolve, ReviewChange, ReviewList, ReviewStart, ReviewStatus, Scope,
    Span, ThreadStatus, WritePositions,
};
use postil_testkit::Sandbox;

use crate::asker::{Asker, said, service};

fn starts(asker: &Asker<'_>, freshness: Freshness) -> (Vec<Option<u32>>, bool) {
    let reply = asker.ask(List { freshness, ..List::default() });
    let start = |thread: &postil_protocol::ThreadView| thread.position.as_ref().and_then(|p| p.start);
    (reply.threads.iter().map(start).collect(), reply.resolving)
}

#[test]
fn who_does_not_wait_gets_the_old_positions_and_is_told_so() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    assert_eq!(starts(&ann, Freshness::Now), (vec![Some(4)], false));
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    repo.commit("a.txt", &format!("new\n{text}"));
    assert_eq!(starts(&ann, Freshness::Now), (vec![Some(4)], true));
    assert_eq!(starts(&ann, Freshness::Wait), (vec![Some(5)], false));
    assert_eq!(starts(&ann, Freshness::Now), (vec![Some(5)], false));
    // A new comment has no old position, and is placed at once.
    repo.commit("a.txt", &format!("newer\nnew\n{text}"));
    ann.comment("a.txt", 1, "on the new line");
    assert_eq!(starts(&ann, Freshness::Now), (vec![Some(1), Some(5)], true));
    assert_eq!(starts(&ann, Freshness::Wait), (vec![Some(1), Some(6)], false));
}

#[test]
fn what_nobody_waits_for_is_given_up_and_leaves_nothing_behind() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    repo.commit("a.txt", &format!("new\n{text}"));
    let stop = Stop::default();
    stop.now();
    assert_eq!(ann.try_ask_until(List::default(), &stop).unwrap_err().code, FaultCode::Cancelled);
    assert_eq!(starts(&ann, Freshness::Wait), (vec![Some(5)], false));
}

#[test]
fn uncommitted_changes_are_followed_without_being_kept() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    std::fs::write(repo.dir.join("a.txt"), format!("one\ntwo\n{text}")).unwrap();
    let reply = ann.list();
    assert!(reply.head.uncommitted);
    assert_eq!(reply.threads[0].position.as_ref().unwrap().start, Some(6));
    std::fs::write(repo.dir.join("a.txt"), &text).unwrap();
    assert_eq!(starts(&ann, Freshness::Wait), (vec![Some(4)], false));
    std::fs::remove_file(repo.dir.join("a.txt")).unwrap();
    assert_eq!(ann.list().threads[0].position.as_ref().unwrap().state, PlaceState::Orphaned);
}

#[test]
fn uncommitted_lines_are_found_in_another_file_that_was_changed_as_well() {
    const MOVED: &str = "fn weigh(apple: Apple) -> Grams {\n    apple.scale().read(Tare::Before)\n}\n\n\
        fn peel(orange: &mut Orange, knife: Knife) {\n    knife.turn(orange, Direction::Left);\n\
        \x20   orange.skin = Skin::Off;\n}\n\nfn press(grapes: Vec<Grape>) -> Must {\n\
        \x20   grapes.into_iter().map(Grape::juice).collect()\n}\n";
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("b.rs", &format!("use crate::Apple;\n\n{MOVED}\nfn last() {{}}\n"));
    repo.commit("c.rs", "fn other() {}\n");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("b.rs", 4, "which scale?");
    std::fs::write(repo.dir.join("b.rs"), "use crate::Apple;\n\nfn last() {}\n").unwrap();
    std::fs::write(repo.dir.join("c.rs"), format!("fn other() {{}}\n\n{MOVED}")).unwrap();
    let moved = ann.list().threads[0].position.clone().unwrap();
    assert_eq!(moved.path.as_ref().and_then(|path| path.as_str()), Some("c.rs"), "{moved:?}");
    assert_eq!((moved.state, moved.start), (PlaceState::Shifted, Some(4)));
}

#[test]
fn what_somebody_else_writes_is_seen_at_once() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let (one, other) = (service(), service());
    let ann = Asker::new(&one, "ann", &repo.dir);
    let bob = Asker::new(&other, "bob", &repo.dir);
    ann.comment("a.txt", 4, "from ann");
    assert_eq!(bob.list().threads.len(), 1);
    bob.comment("a.txt", 5, "from bob");
    assert_eq!(ann.list().threads.len(), 2);
    repo.git(&["update-ref", "-d", refs::NOTES]);
    assert_eq!(ann.list().threads.len(), 2, "reading heals");
    repo.git(&["update-ref", refs::NOTES, "HEAD"]);
    ann.comment("a.txt", 6, "again");
    assert_eq!(bob.list().threads.len(), 3, "so does writing");
}

#[test]
fn positions_are_written_back_once_and_only_for_files_that_changed() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    ann.comment("file", 1, "elsewhere");
    assert_eq!(ann.ask(WritePositions {}).positions, 0);
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    repo.commit("a.txt", &format!("new\n{text}"));
    let settled = ann.ask(WritePositions {});
    assert_eq!(settled.positions, 1);
    assert_eq!(ann.ask(WritePositions {}).notes, settled.notes, "nothing new, no new commit");
    repo.commit("a.txt", &format!("newer\nnew\n{text}"));
    let again = ann.ask(WritePositions {});
    assert_ne!(again.notes, settled.notes);
    assert_eq!(repo.git(&["rev-list", "--count", refs::NOTES]), "3", "two comments, one of positions");
}

#[test]
fn positions_are_written_for_branches_under_review_that_are_not_checked_out() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    repo.commit("a.txt", &format!("new\n{text}"));
    let tip = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["checkout", "-q", "main"]);
    let settled = ann.ask(WritePositions {});
    assert_eq!(settled.positions, 1);
    let noted = repo.git(&["notes", "--ref=reviews", "list"]);
    assert!(noted.contains(&tip), "{noted}");
    assert_eq!(ann.ask(WritePositions {}).notes, settled.notes, "nothing new, no new commit");
}

#[test]
fn a_sparse_checkout_and_a_submodule_are_not_taken_for_changes() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("kept/b.txt", "one\ntwo\n");
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./", "sub"]);
    repo.git(&["commit", "-qm", "a submodule"]);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("kept/b.txt", 2, "here");
    ann.comment("a.txt", 4, "there");
    repo.git(&["sparse-checkout", "set", "--cone", "kept"]);
    repo.git(&["sparse-checkout", "set", "--no-cone", "/kept/"]);
    assert!(!repo.dir.join("a.txt").exists());
    let reply = ann.list();
    assert!(!reply.head.uncommitted);
    let states: Vec<_> = reply.threads.iter().filter_map(|t| t.position.as_ref()).map(|p| p.state).collect();
    assert_eq!(states, [PlaceState::Anchored, PlaceState::Anchored]);
}

#[test]
fn an_orphan_stands_at_the_head_of_the_file_that_its_own_became() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 30);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    for line in [20, 21, 5] {
        ann.comment("a.txt", line, &format!("on line {line}"));
    }
    let kept: String = (1..=30).filter(|n| !(18..=23).contains(n)).map(|n| format!("line {n}\n")).collect();
    repo.git(&["mv", "a.txt", "b.txt"]);
    repo.commit("b.txt", &kept);
    let reply = ann.list();
    let told: Vec<(PlaceState, &str)> = reply
        .threads
        .iter()
        .map(|thread| (thread.position.as_ref().unwrap().state, thread.comments[0].text.as_str()))
        .collect();
    let expected = [
        (PlaceState::Orphaned, "on line 20"),
        (PlaceState::Orphaned, "on line 21"),
        (PlaceState::Anchored, "on line 5"),
    ];
    assert_eq!(told, expected);
    let within = |path: &str| {
        let filter = Filter { paths: vec![path.into()], ..Filter::default() };
        ann.ask(List { filter, ..List::default() }).total
    };
    assert_eq!((within("b.txt"), within("c.txt")), (3, 0));
}

#[test]
fn a_list_is_told_again_until_something_that_it_rests_on_changes() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here\nand there");
    let line = || List { detail: Detail::Line, ..List::default() };
    let lines = |list: List| -> Vec<String> {
        let reply: ListReply = serde_json::from_slice(&ann.told(list)).unwrap();
        reply.lines.into_iter().filter_map(|line| line.lines).collect()
    };
    // Git trusts times that are older than its index alone.
    let index = std::fs::File::options().append(true).open(repo.dir.join(".git/index")).unwrap();
    index.set_modified(std::time::SystemTime::now() + std::time::Duration::from_mins(1)).unwrap();
    let is_same = |list: fn() -> List| std::sync::Arc::ptr_eq(&ann.told(list()), &ann.told(list()));
    assert!(is_same(|| List { detail: Detail::Line, ..List::default() }));
    assert!(is_same(|| List { head: HeadName::Head, ..List::default() }));
    assert!(!is_same(|| List { head: HeadName::Rev("HEAD".into()), ..List::default() }));
    assert_eq!(lines(line()), ["4"]);
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    std::fs::write(repo.dir.join("a.txt"), format!("new\n{text}")).unwrap();
    assert_eq!(lines(line()), ["5"], "an edit that is not committed");
    assert_eq!(lines(List { head: HeadName::Head, ..line() }), ["4"]);
    repo.commit("a.txt", &format!("newer\nnew\n{text}"));
    assert_eq!(lines(line()), ["6"], "a commit");
    assert_eq!(lines(List { head: HeadName::Head, ..line() }), ["6"]);
    ann.comment("a.txt", 1, "on the new line");
    assert_eq!(lines(line()), ["1", "6"], "a comment");
    repo.git(&["switch", "-q", "main"]);
    assert_eq!(lines(line()), [] as [&str; 0], "another branch");
    repo.git(&["switch", "-q", "topic"]);
    assert_eq!(lines(line()), ["1", "6"]);
}

#[test]
fn a_line_of_a_list_says_what_is_unusual_alone() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here\nand there");
    let told = || ann.told(List { detail: Detail::Line, ..List::default() });
    let line = |told: &[u8]| serde_json::from_slice::<serde_json::Value>(told).unwrap()["lines"][0].clone();
    let mut usual = line(&told());
    usual.as_object_mut().unwrap().remove("short");
    let expected =
        serde_json::json!({"path": "a.txt", "lines": "4", "author": "ann", "text": "here", "trust": "here"});
    assert_eq!(usual, expected);
    repo.commit("a.txt", "something else\n");
    let doubtful = line(&told());
    assert_eq!(doubtful["doubt"]["position"]["state"], "orphaned", "{doubtful}");
    assert_eq!(doubtful["doubt"]["anchor"]["lines"][0], "line 4");
    assert_eq!((&doubtful["path"], &doubtful["lines"]), (&"a.txt".into(), &"4".into()));
}

#[test]
fn notes_that_did_not_change_are_not_read_again() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 1, "in the note of the first commit");
    let first = repo.git(&["notes", "--ref=reviews", "list", "HEAD"]);
    repo.commit("b.txt", "another file\n");
    ann.comment("a.txt", 2, "in that of the second");
    assert_eq!(ann.list().threads.len(), 2);
    // Whoever reads them all misses one from here on.
    repo.forget_kept();
    std::fs::remove_file(repo.dir.join(".git/objects").join(&first[..2]).join(&first[2..])).unwrap();
    for line in 3..7 {
        ann.comment("a.txt", line, "one more");
    }
    assert_eq!(ann.list().threads.len(), 6);
    let late = super::service();
    assert_eq!(Asker::new(&late, "ann", &repo.dir).list().threads.len(), 5, "the set-up is as meant");
}

/// How many bytes the cache has of line maps and positions, besides its first line.
fn cached(repo: &postil_testkit::Checkout<'_>) -> u64 {
    let file = repo.dir.join(".git/postil/cache/line-maps");
    std::fs::metadata(file).map_or(0, |file| file.len()).saturating_sub("postil maps 2\n".len() as u64)
}

/// Comments on a file of a new branch, and moves the branch on, so that something is computed.
fn reviewed(ann: &Asker<'_>, repo: &postil_testkit::Checkout<'_>, branch: &str) {
    let lines = |from: u32| (from..from + 20).map(|line| format!("{branch} {line}\n")).collect::<String>();
    let file = format!("{branch}.txt");
    repo.git(&["switch", "-q", "-c", branch, "main"]);
    repo.commit(&file, &lines(0));
    ann.ask(ReviewStart::default());
    ann.comment(&file, 14, "here");
    repo.commit(&file, &lines(5));
    assert_eq!(starts(ann, Freshness::Wait), (vec![Some(9)], false));
}

#[test]
fn what_only_reviews_needed_that_ended_is_swept_from_the_cache() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    for branch in ["first", "second"] {
        reviewed(&ann, &repo, branch);
    }
    service.save();
    let all = cached(&repo);
    let close = |review: &str| {
        let change = ReviewChange { review: Some(review.into()), status: ReviewStatus::Closed, reason: None };
        ann.ask(change);
        assert_eq!(cached(&repo), all, "nobody waits for it");
        service.save();
    };
    close("first");
    let left = cached(&repo);
    assert!(0 < left && left < all, "{left} of {all}");
    assert_eq!(starts(&ann, Freshness::Wait), (vec![Some(9)], false));
    // What was swept is computed again where somebody asks for it.
    repo.git(&["switch", "-q", "first"]);
    ann.ask(List { filter: Filter::default(), ..List::default() });
}

#[test]
fn a_merge_that_is_noticed_sweeps_what_was_resolved() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    reviewed(&ann, &repo, "topic");
    let threads = vec![ann.list().threads[0].id.to_string()];
    service.save();
    assert!(cached(&repo) > 0);
    ann.ask(Resolve { threads, reason: None, by: None });
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "topic"]);
    ann.ask(ReviewList::default());
    service.save();
    assert_eq!(cached(&repo), 0);
}

#[test]
fn positions_that_are_written_back_sweep_the_cache_of_what_was_resolved() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let thread = ann.comment("a.txt", 4, "here");
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    repo.commit("a.txt", &format!("new\n{text}"));
    assert_eq!(starts(&ann, Freshness::Wait), (vec![Some(5)], false));
    service.save();
    assert!(cached(&repo) > 0);
    ann.ask(ReviewChange { review: None, status: ReviewStatus::Merged, reason: None });
    ann.ask(WritePositions::default());
    assert!(cached(&repo) > 0, "it is open");
    ann.ask(Resolve { threads: vec![thread], reason: None, by: None });
    service.save();
    assert!(cached(&repo) > 0, "no review ended since");
    ann.ask(Doctor { fix: true, restore: Vec::new() });
    assert_eq!(cached(&repo), 0);
}

#[test]
fn notes_that_a_partial_clone_lacks_are_missed_aloud_and_listed_once_they_are_here() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "here");
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    repo.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", repo.dir.display());
    sandbox.git(&["clone", "-q", "--filter=blob:none", &url, "partial"]);
    let partial = sandbox.at("partial");
    partial.git(&["fetch", "-q", "origin", "+refs/notes/*:refs/notes/*"]);
    let bob = Asker::new(&service, "bob", &partial.dir);
    for _ in 0..2 {
        let listed = bob.list();
        assert_eq!((listed.threads.len(), listed.warnings.len()), (0, 1));
        assert!(listed.warnings[0].what.contains("1 note whose content is missing"), "{listed:?}");
    }
    let before = bob.list().mark;
    let note = partial.git(&["ls-tree", "-r", refs::NOTES]);
    let note = note.split_whitespace().nth(2).unwrap();
    partial.git_with(&["cat-file", "-p", note], b"");
    let listed = bob.list();
    assert_eq!((listed.threads.len(), listed.warnings.len()), (1, 0), "the same notes, and all of them here");
    let since = Changes { since: Some(before), ..Changes::default() };
    assert!(bob.ask(since).reset, "whoever knew the part lists again");
}

#[test]
fn a_list_that_is_brought_up_to_date_is_the_one_that_a_new_service_makes() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 40);
    repo.commit("b.txt", "one\ntwo\nthree\n");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let at = |path: &str, line: u32| Place { span: Some(Span::lines(line, line)), ..Place::file(path) };
    let lines = List { detail: Detail::Line, ..List::default() };
    let open = Filter { statuses: vec![ThreadStatus::Open], ..Filter::default() };
    let in_b = Filter { paths: vec!["b.txt".into()], ..Filter::default() };
    let questions = [
        lines.clone(),
        List { scope: Scope::All, filter: open, ..lines.clone() },
        List { head: HeadName::Head, filter: in_b, ..lines.clone() },
        List { limit: Some(12), ..lines },
    ];
    let check = |what: &str| {
        let fresh = crate::asker::service();
        let fresh = Asker::new(&fresh, "ann", &repo.dir);
        for question in &questions {
            let (told, new) = (ann.told(question.clone()), fresh.told(question.clone()));
            assert_eq!(String::from_utf8_lossy(&told), String::from_utf8_lossy(&new), "{what}: {question:?}");
        }
        let told: ListReply = serde_json::from_slice(&ann.told(questions[0].clone())).unwrap();
        told.lines.len()
    };
    let threads: Vec<String> =
        (1..=10).map(|line| ann.comment("a.txt", 3 * line, &format!("comment {line}"))).collect();
    assert_eq!(check("ten threads"), 10);
    ann.comment("a.txt", 10, "in the middle");
    assert_eq!(check("one more"), 11);
    ann.comment("b.txt", 2, "in another file");
    assert_eq!(check("another file"), 12);
    ann.comment("a.txt", 1, "at the top");
    ann.ask(said(None, "about the whole review"));
    assert_eq!(check("before all others, and more than the limit"), 14);
    ann.ask(ReplyTo {
        to: threads[3].clone(),
        text: "yes".into(),
        suggestion: None,
        draft: false,
        resolve: false,
    });
    ann.ask(Edit { of: threads[4].clone(), text: "other words".into() });
    check("an answer and an edit");
    ann.ask(Resolve { threads: threads[5..7].to_vec(), reason: None, by: None });
    assert_eq!(check("two that are not open any more"), 14);
    ann.ask(Move { of: threads[0].clone(), to: MoveTo::Place(at("b.txt", 3)) });
    check("one that was put elsewhere");
    ann.ask(Comment { draft: true, ..said(Some(at("a.txt", 20)), "not shared yet") });
    assert_eq!(check("a draft"), 15);
    std::fs::write(repo.dir.join("a.txt"), "line 1\n").unwrap();
    ann.comment("b.txt", 1, "while a file is not committed");
    assert_eq!(check("a file that is not committed"), 16);
    repo.git(&["checkout", "-q", "a.txt"]);
    ann.comment("b.txt", 3, "while all are");
    assert_eq!(check("all files are committed again"), 17);
}
