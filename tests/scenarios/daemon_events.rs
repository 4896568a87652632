//! Whoever subscribes hears of every move: at once that it happened, then what it means.

use postil_protocol::{ChangeKind, Event, PlacedAs, Subscribe, SuggestionState, Topic};

use crate::support::forms::{Forms, REFUSED_WORDS};
use crate::support::served::{Served, until};
use crate::support::world::{Checkout, World};

const LINES: &str = "one\ntwo\nthree\nfour\nfive\n";

/// A repository with a comment on its third line, and the daemon running.
fn commented(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("a.txt", LINES);
    alice.commit("first");
    alice.served("comment a.txt:3 -m 'why three?'").code(0);
    alice
}

fn head(alice: &Checkout<'_>) -> String {
    alice.git("rev-parse HEAD")
}

fn is_resolved_at(event: &Event, commit: &str) -> bool {
    matches!(event, Event::Placed(event) if event.head.as_ref().is_some_and(|head| head.as_str() == commit))
}

/// The lines from which and to which the only thread moved.
fn moved(event: &Event) -> (Option<u32>, Option<u32>) {
    let Event::Placed(event) = event else { panic!("{event:?}") };
    let [moved] = &event.placed[..] else { panic!("{event:?}") };
    let line = |place: &Option<postil_protocol::PositionView>| place.as_ref().and_then(|place| place.start);
    (line(&moved.from), line(&moved.to))
}

#[test]
fn a_commit_is_announced_then_resolved_and_its_positions_are_written_once() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let mut client = world.client();
    alice.subscribe(&mut client, Topic::Repository);
    let before = alice.git("rev-list --count refs/notes/reviews");
    for n in 1..=10 {
        alice.write("a.txt", format!("{}{LINES}", "new\n".repeat(n)));
        let commit = alice.commit("more");
        let announced = until(&mut client, |event| matches!(event, Event::Resolving(_)));
        let Event::Resolving(announced) = announced else { panic!("{announced:?}") };
        assert_eq!(announced.to.expect("there is a head").as_str(), commit);
        let resolved = until(&mut client, |event| is_resolved_at(event, &commit));
        let n = u32::try_from(n).expect("ten fits");
        assert_eq!(moved(&resolved), (Some(2 + n), Some(3 + n)));
    }
    // Whoever asks waits for nothing: the answer is there.
    assert_eq!(alice.list(&mut client).threads[0].position.as_ref().expect("a place").start, Some(13));
    world.postil("daemon stop").code(0);
    assert!(alice.git("notes --ref=reviews list").contains(&head(&alice)), "positions of the head");
    let after = alice.git("rev-list --count refs/notes/reviews");
    let count = |text: &str| text.parse::<u32>().expect("a number");
    assert!(count(&after) <= count(&before) + 1, "{before} commits became {after}");
}

#[test]
fn a_rebase_of_two_hundred_commits_is_resolved_once() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    alice.git("switch --quiet -c topic");
    let import: String = std::iter::once(
        "commit refs/heads/topic\ncommitter a <a@b> 1 +0000\ndata 1\nx\nfrom refs/heads/topic^0\n".to_owned(),
    )
    .chain((0..200).map(|n| {
        let sep = if n == 0 { "" } else { "commit refs/heads/topic\ncommitter a <a@b> 1 +0000\ndata 1\nx\n" };
        format!("{sep}M 644 inline f{n}\ndata 1\n{}\n", n % 10)
    }))
    .collect();
    alice.fast_import(&import);
    alice.git("reset --quiet --hard");
    alice.git("switch --quiet main");
    alice.write("a.txt", format!("new\n{LINES}"));
    alice.commit("main goes on");
    alice.git("switch --quiet topic");
    let mut client = world.client();
    alice.list(&mut client);
    alice.subscribe(&mut client, Topic::Repository);
    alice.git("rebase --quiet main");
    let end = head(&alice);
    let resolved = std::cell::Cell::new(0);
    until(&mut client, |event| {
        resolved.set(resolved.get() + u32::from(matches!(event, Event::Placed(_))));
        is_resolved_at(event, &end)
    });
    // A machine that stands still for seconds in the middle may see one more.
    assert!(resolved.get() <= 2, "resolved {} times", resolved.get());
}

#[test]
fn what_others_say_is_told_to_those_it_concerns() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    alice.write("b.txt", LINES);
    alice.commit("second");
    let (mut here, mut elsewhere) = (world.client(), world.client());
    alice.subscribe(&mut here, Topic::File("a.txt".into()));
    alice.subscribe(&mut elsewhere, Topic::File("b.txt".into()));
    // Somebody who has no daemon, or another one.
    alice.postil("comment a.txt:1 -m 'and why one?'").code(0);
    let changed = until(&mut here, |event| matches!(event, Event::Changed(_)));
    let Event::Changed(changed) = changed else { panic!("{changed:?}") };
    assert_eq!(changed.threads.len(), 1);
    alice.postil("comment b.txt:1 -m 'and there?'").code(0);
    let changed = until(&mut elsewhere, |event| matches!(event, Event::Changed(_)));
    let Event::Changed(second) = changed else { panic!("{changed:?}") };
    let second: Vec<_> = second.threads.into_iter().map(|thread| thread.id).collect();
    assert_ne!(second, changed_of(&mut here), "the first was told to the other one only");
}

#[test]
fn a_draft_is_told_when_it_is_made_and_when_it_is_shared() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let mut client = world.client();
    alice.subscribe(&mut client, Topic::Repository);
    let mut told = || match until(&mut client, |event| matches!(event, Event::Changed(_))) {
        Event::Changed(changed) => changed.changes.into_iter().map(|change| change.what).collect(),
        other => panic!("{other:?}"),
    };
    alice.postil("comment a.txt:1 --draft -m 'still thinking'").code(0);
    let made: Vec<ChangeKind> = told();
    assert_eq!(made, [ChangeKind::Commented]);
    alice.postil("publish").code(0);
    let shared: Vec<ChangeKind> = told();
    assert_eq!(shared, [ChangeKind::Published]);
}

#[test]
fn a_file_outside_of_the_repository_cannot_be_subscribed_to() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let mut client = world.client();
    let list = alice.served("list --json").code(0).stdout();
    let list: serde_json::Value = serde_json::from_str(list.trim()).expect("one line of JSON");
    let mark = list["mark"].as_str().expect("every answer has one");
    for since in [None, Some(mark.into())] {
        let topic = Topic::File("../a.txt".into());
        let refused =
            client.ask(&Subscribe { repository: alice.name(), topic, work_tree: false, since, via: None });
        let refused = refused.expect_err("there is no such file").to_string();
        assert!(refused.contains("invalid path"), "{refused}");
    }
}

fn changed_of(client: &mut postil_protocol::Client) -> Vec<postil_protocol::Hex> {
    // Nothing else is told here; the wait is that of the socket, cut short.
    client.stream().set_read_timeout(Some(std::time::Duration::from_millis(1))).expect("a shorter limit");
    match client.next_event() {
        Ok(Some(Event::Changed(changed))) => changed.threads.into_iter().map(|thread| thread.id).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn uncommitted_edits_are_followed_while_somebody_listens() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let mut client = world.client();
    let subscribe = Subscribe {
        repository: alice.name(),
        topic: Topic::Repository,
        work_tree: true,
        since: None,
        via: None,
    };
    client.ask(&subscribe).expect("anybody may subscribe");
    alice.write("a.txt", format!("new\n{LINES}"));
    let resolved =
        until(&mut client, |event| matches!(event, Event::Placed(event) if !event.placed.is_empty()));
    assert_eq!(moved(&resolved), (Some(3), Some(4)));
}

#[test]
fn a_file_that_goes_and_comes_back_is_followed_with_its_folder_and_under_its_new_name() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("src/old.txt", LINES);
    alice.commit("first");
    alice.served("comment src/old.txt:3 -m 'why three?'").code(0);
    alice.git("mv src/old.txt src/a.txt");
    alice.commit("renamed");
    let mut client = world.client();
    let subscribe = Subscribe {
        repository: alice.name(),
        topic: Topic::Repository,
        work_tree: true,
        since: None,
        via: None,
    };
    client.ask(&subscribe).expect("anybody may subscribe");
    let mut told = || {
        moved(&until(&mut client, |event| matches!(event, Event::Placed(event) if !event.placed.is_empty())))
    };
    for _ in 0..2 {
        std::fs::remove_dir_all(alice.folder.join("src")).expect("it is there");
        assert_eq!(told(), (Some(3), None));
        alice.git("checkout --quiet src");
        assert_eq!(told(), (None, Some(3)));
    }
    std::fs::remove_file(alice.folder.join("src/a.txt")).expect("it is there");
    assert_eq!(told(), (Some(3), None));
    alice.write("src/a.txt", format!("new\n{LINES}"));
    assert_eq!(told(), (None, Some(4)));
}

#[test]
fn a_repository_that_is_gone_ends_its_subscriptions_and_one_in_its_place_gets_new_ones() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let mut client = world.client();
    alice.subscribe(&mut client, Topic::Repository);
    let mut watch = alice.served_command("--json watch");
    watch.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut watch = watch.spawn().expect("postil starts");
    let mut said = std::io::BufReader::new(watch.stderr.take().expect("it was piped"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut said, &mut line).expect("it says so");
    assert_eq!(line, "watching\n");
    alice.remove();
    until(&mut client, |event| matches!(event, Event::Ended(_)));
    let mut told = String::new();
    let mut stdout = watch.stdout.take().expect("it was piped");
    std::io::Read::read_to_string(&mut stdout, &mut told).expect("it ends");
    let (events, failure) = told.trim_end().rsplit_once('\n').expect("the last line says why it ended");
    Forms::published().check("watch", events);
    Forms::published().check(REFUSED_WORDS, failure);
    assert!(events.lines().last().is_some_and(|line| line.contains(r#""method":"ended""#)), "{told}");
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut said, &mut rest).expect("it ends");
    assert!(rest.contains("the repository no longer exists"), "{rest}");
    assert_eq!(watch.wait().expect("it ends").code(), Some(5));
    let alice = commented(&world);
    alice.subscribe(&mut client, Topic::Repository);
    alice.served("comment a.txt:2 -m 'why two?'").code(0);
    until(&mut client, |event| matches!(event, Event::Changed(_)));
}

/// What became of the only suggestion.
fn fate(event: &Event) -> Option<SuggestionState> {
    let Event::Placed(event) = event else { panic!("{event:?}") };
    let [fated] = &event.placed[..] else { panic!("{event:?}") };
    assert_eq!(fated.what, PlacedAs::Suggestion);
    assert_eq!(fated.suggestion, fated.view.as_ref().expect("all of it").suggestion);
    fated.suggestion
}

#[test]
fn a_suggestion_that_fares_otherwise_is_told_though_its_thread_stays_where_it_is() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", LINES);
    alice.write("b.txt", LINES);
    alice.commit("first");
    // The comment is in one file; what becomes of the suggestion is decided in the other one too.
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -3 +3 @@\n-three\n+3\n--- a/b.txt\n+++ b/b.txt\n@@ -3 +3 @@\n-three\n+3\n";
    alice.write(".git/patch", patch);
    alice.served("suggest --patch .git/patch -m digits").code(0);
    let (mut disk, mut commits) = (world.client(), world.client());
    let subscribe = Subscribe {
        repository: alice.name(),
        topic: Topic::Repository,
        work_tree: true,
        since: None,
        via: None,
    };
    disk.ask(&subscribe).expect("anybody may subscribe");
    alice.subscribe(&mut commits, Topic::File("b.txt".into()));

    let told = |event: &Event| match event {
        Event::Changed(changed) => panic!("nobody said anything: {changed:?}"),
        Event::Placed(event) => !event.placed.is_empty(),
        Event::Resolving(_) | Event::Reset(_) | Event::Ended(_) => false,
    };
    // A file that is written in two steps is seen without its lines between them.
    let save = |text: &str| {
        alice.write(".git/new", text);
        std::fs::rename(alice.folder.join(".git/new"), alice.folder.join("b.txt")).expect("it is put there");
    };
    let (applies, conflict) = (Some(SuggestionState::Applies), Some(SuggestionState::Conflict));
    save(&LINES.replace("three", "drei"));
    assert_eq!(fate(&until(&mut disk, told)), conflict);
    save(LINES);
    assert_eq!(fate(&until(&mut disk, told)), applies);
    save(&LINES.replace("three", "drei"));
    alice.commit("something else");
    assert_eq!(fate(&until(&mut commits, told)), conflict);
}

#[test]
fn a_linked_work_tree_is_attended_to_from_its_first_day() {
    let world = World::new();
    let _served = Served(&world);
    let alice = commented(&world);
    let mut client = world.client();
    alice.git("worktree add --quiet ../linked -b side");
    let git_dir = alice.folder.join(".git/worktrees/linked");
    let git_dir = std::fs::canonicalize(git_dir).expect("git made it");
    let name = postil_protocol::RepositoryName {
        git_dir: git_dir.to_str().expect("plain letters").into(),
        work_tree: None,
    };
    let subscribe =
        Subscribe { repository: name, topic: Topic::Repository, work_tree: false, since: None, via: None };
    client.ask(&subscribe).expect("anybody may subscribe");
    std::fs::write(world.people().join("linked/a.txt"), format!("new\n{LINES}"))
        .expect("a file can be written");
    alice.git("-C ../linked commit --quiet -a -m more");
    let commit = alice.git("-C ../linked rev-parse HEAD");
    let resolved = until(&mut client, |event| is_resolved_at(event, &commit));
    assert_eq!(moved(&resolved), (Some(3), Some(4)));
}
