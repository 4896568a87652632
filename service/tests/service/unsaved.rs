//! Files that are not committed: changed on disk, not tracked yet, or open in an editor and not saved.

use postil_protocol::{
    Apply, Buffer, Comment, FaultCode, HeadName, List, Place, PlaceState, PositionView, Show, Side, Span,
    Suggest,
};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};

const BLOCK: &str = "fn weigh(apple: Apple) -> Grams {\n    apple.scale().read(Tare::Before)\n}\n\n\
    fn peel(orange: &mut Orange, knife: Knife) {\n    knife.turn(orange, Direction::Left);\n\
    \x20   orange.skin = Skin::Off;\n}\n\nfn press(grapes: Vec<Grape>) -> Must {\n\
    \x20   grapes.into_iter().map(Grape::juice).collect()\n}\n";

fn buffer(path: &str, text: &str) -> Buffer {
    Buffer { path: path.into(), text: text.into(), version: Some(7) }
}

fn on_disk(repo: &Checkout<'_>, path: &str) -> String {
    std::fs::read_to_string(repo.dir.join(path)).unwrap()
}

fn only(asker: &Asker<'_>) -> PositionView {
    let [thread] = &asker.list().threads[..] else { panic!("one thread") };
    thread.position.clone().unwrap()
}

fn path(position: &PositionView) -> Option<&str> {
    position.path.as_ref().and_then(|path| path.as_str())
}

#[test]
fn threads_are_where_an_unsaved_buffer_has_them() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    let text = on_disk(&repo, "a.txt");
    ann.buffers = vec![buffer("a.txt", &format!("typed\ntyped too\n{text}"))];
    let listed = ann.list();
    let position = listed.threads[0].position.clone().unwrap();
    assert_eq!((position.state, position.start), (PlaceState::Anchored, Some(6)));
    assert!(listed.head.uncommitted);
    assert_eq!(listed.head.buffers[0].version, Some(7), "the answer says which text it is about");
    let shown =
        ann.ask(Show { of: listed.threads[0].id.to_string(), head: HeadName::default(), ..Show::default() });
    assert!(
        shown.lines.iter().any(|(line, text)| (*line, text.as_bytes()) == (6, b"line 4")),
        "{:?}",
        shown.lines
    );
    // Nobody keeps it.
    ann.buffers.clear();
    assert_eq!(only(&ann).start, Some(4));
    assert_eq!(on_disk(&repo, "a.txt"), text);
    // A commit is as it is committed.
    ann.buffers = vec![buffer("a.txt", "nothing\n")];
    let at_head = ann.ask(List { head: HeadName::Head, ..List::default() });
    assert_eq!(at_head.threads[0].position.as_ref().unwrap().start, Some(4));
    assert!(at_head.head.buffers.is_empty());
}

#[test]
fn the_same_text_gives_the_same_answer_whatever_led_to_it() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    let text = on_disk(&repo, "a.txt");
    let typed = text.replace("line 4\n", "line four\nand more\n");
    for other in ["", "gone\n", &typed, &text] {
        ann.buffers = vec![buffer("a.txt", other)];
        ann.list();
    }
    ann.buffers = vec![buffer("a.txt", &typed)];
    let in_buffer = only(&ann);
    ann.buffers.clear();
    std::fs::write(repo.dir.join("a.txt"), &typed).unwrap();
    assert_eq!(only(&ann), in_buffer);
}

#[test]
fn a_line_that_is_not_saved_can_be_commented_on() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    let typed = format!("{}a new line\n", on_disk(&repo, "a.txt"));
    ann.buffers = vec![buffer("a.txt", &typed), buffer("notes/new.txt", "one\ntwo\n")];
    let place = |path: &str, line| Place { span: Some(Span::lines(line, line)), ..Place::file(path) };
    let written = ann.ask(said(Some(place("a.txt", 11)), "why?"));
    assert!(written.uncommitted);
    ann.ask(said(Some(place("notes/new.txt", 2)), "a file that git does not track"));
    let states = |asker: &Asker<'_>| -> Vec<_> {
        let place = |thread: &postil_protocol::ThreadView| {
            let position = thread.position.clone().unwrap();
            (position.state, position.start)
        };
        asker.list().threads.iter().map(place).collect()
    };
    let both = vec![(PlaceState::Anchored, Some(11)), (PlaceState::Anchored, Some(2))];
    assert_eq!(states(&ann), both);
    // Once they are saved, the buffers are not needed.
    std::fs::create_dir(repo.dir.join("notes")).unwrap();
    std::fs::write(repo.dir.join("notes/new.txt"), "one\ntwo\n").unwrap();
    std::fs::write(repo.dir.join("a.txt"), typed).unwrap();
    ann.buffers.clear();
    assert_eq!(states(&ann), both);
}

#[test]
fn a_line_that_only_an_unsaved_buffer_deletes_can_be_commented_on() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    repo.git(&["branch", "-f", "main"]);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    repo.commit("other.txt", "x\n");
    let place = Place { side: Side::Old, span: Some(Span::lines(4, 4)), ..Place::file("a.txt") };
    let refused = ann.try_ask(said(Some(place.clone()), "why?")).unwrap_err();
    assert_eq!(refused.code, FaultCode::NoSuchPlace);
    ann.buffers = vec![buffer("a.txt", &on_disk(&repo, "a.txt").replace("line 4\n", ""))];
    ann.ask(said(Some(place), "why?"));
}

#[test]
fn a_suggestion_is_planned_for_what_the_buffer_holds() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    let place = Place { span: Some(Span::lines(4, 4)), ..Place::file("a.txt") };
    let suggestion = Some(Suggest::Replacement("better\n".into()));
    let id = ann.ask(Comment { suggestion, ..said(Some(place), "so") }).id.to_string();
    let typed = format!("typed\n{}", on_disk(&repo, "a.txt"));
    ann.buffers = vec![buffer("a.txt", &typed)];
    let plan = ann.ask(Apply { comments: vec![id], ..Apply::default() });
    let content = plan.files[0].content.as_ref().and_then(|content| content.as_str()).unwrap();
    assert_eq!(content, typed.replace("line 4\n", "better\n"));
    assert!(!on_disk(&repo, "a.txt").contains("better"), "nothing is written");
}

#[test]
fn a_buffer_outside_the_repository_is_refused() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    ann.buffers = vec![buffer("../outside", "x")];
    assert_eq!(ann.try_ask(List::default()).unwrap_err().code, FaultCode::InvalidParams);
}

#[test]
fn a_file_that_was_renamed_on_disk_and_not_added_is_followed() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    repo.commit("src/fruit.rs", BLOCK);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("src/fruit.rs", 6, "left?");
    std::fs::rename(repo.dir.join("src/fruit.rs"), repo.dir.join("src/kitchen.rs")).unwrap();
    let moved = only(&ann);
    assert_eq!((path(&moved), moved.start), (Some("src/kitchen.rs"), Some(6)), "{moved:?}");
    // So is one that an editor has open under its new name only.
    std::fs::remove_file(repo.dir.join("src/kitchen.rs")).unwrap();
    ann.buffers = vec![buffer("src/bar.rs", BLOCK)];
    let moved = only(&ann);
    assert_eq!((path(&moved), moved.start), (Some("src/bar.rs"), Some(6)), "{moved:?}");
}

#[test]
fn a_block_that_moved_into_a_file_that_git_does_not_track_yet_is_found() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    repo.commit("src/fruit.rs", &format!("use crate::Apple;\n\n{BLOCK}\nfn last() {{}}\n"));
    repo.commit(".gitignore", "ignored/\n");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("src/fruit.rs", 8, "left?");
    std::fs::write(repo.dir.join("src/fruit.rs"), "use crate::Apple;\n\nfn last() {}\n").unwrap();
    let write = |folder: &str, text: &str| {
        std::fs::create_dir_all(repo.dir.join(folder)).unwrap();
        std::fs::write(repo.dir.join(folder).join("new.rs"), text).unwrap();
    };
    write("ignored", &format!("fn first() {{}}\n\n{BLOCK}"));
    assert_eq!(only(&ann).state, PlaceState::Orphaned, "what git ignores is nobody's work");
    write("kitchen", &format!("fn first() {{}}\n\n{BLOCK}"));
    let moved = only(&ann);
    assert_eq!((path(&moved), moved.start), (Some("kitchen/new.rs"), Some(8)), "{moved:?}");
}

#[test]
fn what_is_staged_counts_as_what_is_on_disk() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    repo.commit("src/fruit.rs", &format!("use crate::Apple;\n\n{BLOCK}\nfn last() {{}}\n"));
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("src/fruit.rs", 8, "left?");
    std::fs::write(repo.dir.join("src/fruit.rs"), "use crate::Apple;\n\nfn last() {}\n").unwrap();
    std::fs::create_dir(repo.dir.join("kitchen")).unwrap();
    std::fs::write(repo.dir.join("kitchen/new.rs"), format!("fn first() {{}}\n\n{BLOCK}")).unwrap();
    repo.git(&["add", "-A"]);
    let moved = only(&ann);
    assert_eq!((path(&moved), moved.start), (Some("kitchen/new.rs"), Some(8)), "{moved:?}");
    repo.git(&["mv", "kitchen/new.rs", "kitchen/cold.rs"]);
    assert_eq!(path(&only(&ann)), Some("kitchen/cold.rs"));
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_where_it_is_committed() {
    for how in [&["--cone"][..], &["--cone", "--sparse-index"], &["--no-cone"]] {
        let sandbox = Sandbox::in_memory();
        let repo = crate::topic(&sandbox, 10);
        repo.commit("src/fruit.rs", BLOCK);
        repo.commit("other/x.txt", "x\n");
        let service = service();
        let ann = Asker::new(&service, "ann", &repo.dir);
        ann.comment("src/fruit.rs", 6, "left?");
        repo.git(&[&["sparse-checkout", "set"], how, &["other"]].concat());
        assert!(!repo.dir.join("src").exists());
        let position = only(&ann);
        assert_eq!((position.state, position.start), (PlaceState::Anchored, Some(6)), "{how:?}");
    }
}

#[test]
fn a_file_that_became_a_folder_is_gone_or_in_it() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    repo.commit("fruit.rs", BLOCK);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("fruit.rs", 6, "left?");
    std::fs::remove_file(repo.dir.join("fruit.rs")).unwrap();
    std::fs::create_dir(repo.dir.join("fruit.rs")).unwrap();
    assert_eq!(only(&ann).state, PlaceState::Orphaned);
    std::fs::write(repo.dir.join("fruit.rs/inside.rs"), BLOCK).unwrap();
    let moved = only(&ann);
    assert_eq!((path(&moved), moved.start), (Some("fruit.rs/inside.rs"), Some(6)), "{moved:?}");
}

#[test]
fn settings_about_what_git_prints_or_refuses_do_not_keep_a_comment_from_its_lines() {
    let settings: [&[(&str, &str)]; 3] = [
        &[("status.showUntrackedFiles", "no")],
        &[("core.autocrlf", "true"), ("core.safecrlf", "true")],
        &[("filter.none.required", "true"), ("filter.none.clean", "no-such-program %f")],
    ];
    for settings in settings {
        let sandbox = Sandbox::in_memory();
        let repo = crate::topic(&sandbox, 10);
        repo.commit("fruit.rs", BLOCK);
        repo.commit(".gitattributes", "*.bin filter=none\n");
        let service = service();
        let ann = Asker::new(&service, "ann", &repo.dir);
        ann.comment("fruit.rs", 6, "left?");
        for (name, value) in settings {
            repo.git(&["config", name, value]);
        }
        std::fs::write(repo.dir.join("large.bin"), "x\n").unwrap();
        std::fs::rename(repo.dir.join("fruit.rs"), repo.dir.join("kitchen.rs")).unwrap();
        let moved = only(&ann);
        assert_eq!((path(&moved), moved.start), (Some("kitchen.rs"), Some(6)), "{settings:?}: {moved:?}");
    }
}

#[test]
fn one_thread_is_where_the_list_has_it_also_if_a_commented_file_is_ignored() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    repo.commit("fruit.rs", BLOCK);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let id = ann.comment("fruit.rs", 6, "left?");
    std::fs::rename(repo.dir.join("fruit.rs"), repo.dir.join("kitchen.rs")).unwrap();
    ann.comment("kitchen.rs", 2, "before?");
    std::fs::write(repo.dir.join(".gitignore"), "kitchen.rs\n").unwrap();
    let listed = ann.list().threads.into_iter().find(|thread| thread.id.as_str() == id).unwrap();
    let shown = ann.ask(Show { of: id, head: HeadName::default(), ..Show::default() }).thread;
    assert_eq!(listed.position, shown.position);
}

#[test]
fn committed_lines_of_a_file_with_other_changes_are_not_called_uncommitted() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 30);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let changed = on_disk(&repo, "a.txt").replace("line 20\n", "another line\n");
    std::fs::write(repo.dir.join("a.txt"), format!("a new line\n{changed}")).unwrap();
    let is_uncommitted = |line: Option<u32>| {
        let span = line.map(|line| Span::lines(line, line));
        ann.ask(said(Some(Place { span, ..Place::file("a.txt") }), &format!("why {line:?}?"))).uncommitted
    };
    assert!(is_uncommitted(Some(1)) && is_uncommitted(Some(21)));
    assert!(!is_uncommitted(Some(10)), "committed, on another line");
    assert!(is_uncommitted(Some(24)), "the lines around it travel too");
    assert!(!is_uncommitted(None), "no line travels with a comment on the whole file");
    std::fs::write(repo.dir.join("new.txt"), "one\n").unwrap();
    let new = Place { span: Some(Span::lines(1, 1)), ..Place::file("new.txt") };
    assert!(ann.ask(said(Some(new), "in a new file")).uncommitted);
}
