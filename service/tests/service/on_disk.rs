//! Files that were renamed, copied or made on disk, and that nobody added yet.

use postil_protocol::{Diff, DiffMark, DiffReply, PlaceState, Status};
use postil_testkit::Sandbox;

use crate::asker::{Asker, service};

#[test]
fn a_file_that_was_renamed_on_disk_is_followed_and_told_from_copies() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    std::fs::rename(repo.dir.join("a.txt"), repo.dir.join("b.txt")).unwrap();
    let position = || ann.list().threads[0].position.clone().unwrap();
    assert_eq!((position().state, position().path), (PlaceState::Anchored, Some("b.txt".into())));
    let renamed = |reply: &DiffReply| {
        let names = reply.files.iter().map(|file| (file.before.clone(), file.after.clone()));
        names.collect::<Vec<_>>()
    };
    let diff = ann.ask(Diff { base: Some("HEAD".into()), ..Diff::default() });
    assert_eq!(renamed(&diff), [(Some("a.txt".into()), Some("b.txt".into()))]);
    let line = diff.files[0].lines.iter().find(|line| !line.threads.is_empty()).unwrap();
    assert_eq!((line.mark, line.before, line.after), (DiffMark::Kept, Some(4), Some(4)));
    // A new file that nobody added is none of it.
    repo.write("new.txt", "something else\n");
    assert_eq!(ann.ask(Diff { base: Some("HEAD".into()), ..Diff::default() }).files.len(), 1);
    repo.git(&["add", "b.txt"]);
    let staged = ann.ask(Diff { base: Some("HEAD".into()), ..Diff::default() });
    assert_eq!(renamed(&staged), renamed(&diff), "added or not");
    repo.git(&["rm", "-q", "--cached", "b.txt"]);
    std::fs::copy(repo.dir.join("b.txt"), repo.dir.join("c.txt")).unwrap();
    assert_eq!((position().state, position().path), (PlaceState::Shifted, Some("b.txt".into())));
    assert_eq!(position().candidates[0].path, "c.txt".into(), "nobody knows which of the two it is");
}

#[test]
fn a_large_file_that_was_renamed_on_disk_is_followed() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let text: String = (0..60_000).map(|line| format!("this is line {line} of many\n")).collect();
    assert!(text.len() > 1 << 20);
    repo.commit("large.txt", &text);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("large.txt", 4, "here");
    std::fs::rename(repo.dir.join("large.txt"), repo.dir.join("moved.txt")).unwrap();
    repo.write("other.txt", text.repeat(2));
    let position = ann.list().threads[0].position.clone().unwrap();
    assert_eq!((position.state, position.path), (PlaceState::Anchored, Some("moved.txt".into())));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "moved"]);
    let position = ann.list().threads[0].position.clone().unwrap();
    assert_eq!((position.state, position.path), (PlaceState::Anchored, Some("moved.txt".into())));
}

#[test]
fn that_not_all_untracked_files_were_searched_is_said_where_a_comment_is_lost() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    for n in 0..4_096 {
        repo.write(&format!("many/{n}"), "");
    }
    let warnings = || (ann.list().warnings.len(), ann.ask(Status::default()).warnings.len());
    let before = warnings();
    std::fs::rename(repo.dir.join("a.txt"), repo.dir.join("z.txt")).unwrap();
    let listed = ann.list();
    assert_eq!(listed.threads[0].position.as_ref().unwrap().state, PlaceState::Orphaned);
    assert!(listed.warnings[0].what.contains("more than 4096 untracked files"), "{:?}", listed.warnings);
    assert_eq!(warnings(), (before.0 + 1, before.1 + 1));
    std::fs::remove_file(repo.dir.join("many/0")).unwrap();
    assert_eq!(ann.list().threads[0].position.as_ref().unwrap().state, PlaceState::Anchored);
    assert_eq!(warnings(), before, "all of them were");
}
