//! Files that were renamed, copied or made on disk, and that nobody added yet.

use postil_protocol::{Diff, DiffMark, DiffReply, PlaceState, Resolve, Status};
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

#[test]
fn a_diff_for_a_page_has_untracked_files_words_and_what_each_side_is() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.write("new.txt", "no newline");
    repo.write(
        "a.txt",
        std::fs::read_to_string(repo.dir.join("a.txt")).unwrap().replacen("line 2", "line two", 1),
    );
    let asked = Diff { base: Some("HEAD".into()), untracked: true, words: true, ..Diff::default() };
    let diff = ann.ask(asked.clone());
    let [changed, new] = &diff.files[..] else { panic!("{:?}", diff.files) };
    assert_eq!((changed.added, changed.deleted, changed.untracked), (1, 1, false));
    let (old, now) = (changed.old.clone().unwrap(), changed.new.clone().unwrap());
    assert!(old.blob != now.blob && old.mode == "100644" && now.mode == "100644");
    let words =
        changed.lines.iter().flat_map(|line| line.words.iter().map(|word| (line.mark, word.start, word.end)));
    assert_eq!(words.collect::<Vec<_>>(), [(DiffMark::Deleted, 5, 6), (DiffMark::Added, 5, 8)]);
    assert!(new.untracked && new.old.is_none() && new.lines[0].no_newline, "{new:?}");
    let outline = ann.ask(Diff { outline: true, ..asked });
    assert!(outline.files.iter().all(|file| file.lines.is_empty()));
    assert_eq!(outline.files.iter().map(|file| &file.new).collect::<Vec<_>>(), [&changed.new, &new.new]);
}

#[test]
fn a_diff_of_a_review_is_that_of_its_branch_wherever_one_is() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let thread = ann.comment("a.txt", 4, "here");
    let review = ann.list().threads[0].review.clone().unwrap().to_string();
    let here = ann.ask(Diff { review: Some(review.clone()), ..Diff::default() });
    repo.git(&["checkout", "-q", "main"]);
    let there = ann.ask(Diff { review: Some(review.clone()), ..Diff::default() });
    assert_eq!((&there.files, &there.base), (&here.files, &here.base));
    let shown = there.files.iter().flat_map(|file| &file.lines).flat_map(|line| &line.threads);
    assert_eq!(shown.map(|thread| thread.id.to_string()).collect::<Vec<_>>(), std::slice::from_ref(&thread));
    ann.ask(Resolve { threads: vec![thread.clone()], reason: None, by: None });
    let open = ann.ask(Diff { review: Some(review.clone()), ..Diff::default() });
    assert!(open.files.iter().flat_map(|file| &file.lines).all(|line| line.threads.is_empty()));
    let all = ann.ask(Diff { review: Some(review), resolved: true, ..Diff::default() });
    assert_eq!(all.files.iter().flat_map(|file| &file.lines).flat_map(|line| &line.threads).count(), 1);
}
