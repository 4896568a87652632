//! What commands printed is told again while nothing that it rests on has changed, and never after.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postil_core::protocol::{ByteText, Detail, HeadName, List, Remember};
use postil_daemon::echo::recall;
use postil_daemon::service::Service;
use tempfile::TempDir;

use crate::asker::{self, Asker};
use crate::support::{Checkout, Sandbox};

const KEY: &str = "postil list in this folder";

fn lines() -> List {
    List { detail: Detail::Line, ..List::default() }
}

fn millis(moment: SystemTime) -> u64 {
    u64::try_from(moment.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// A moment at which all that was written so far is old.
fn later() -> u64 {
    millis(SystemTime::now() + Duration::from_secs(1))
}

/// A command of `ann` that prints a list.
fn printed(ann: &Asker<'_>, question: List, began: u64) -> Remember {
    ann.told(question.clone());
    let files = vec![ByteText::from("/nowhere/.gitconfig")];
    Remember {
        key: KEY.into(),
        text: "a.txt:4  here\n".into(),
        repository: ann.repository(),
        question,
        began,
        files,
    }
}

/// A service that keeps what was printed in this folder.
fn service(folder: &TempDir) -> Service {
    asker::service().echoing(folder.path().join("echoes"))
}

fn recalled(folder: &TempDir) -> Option<String> {
    let text = recall(&folder.path().join("echoes"), KEY)?;
    Some(String::from_utf8(text.as_ref().to_vec()).unwrap())
}

/// A repository with a comment and a setting of somebody, and whose index is older than nothing.
fn commented(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = super::topic(sandbox, 10);
    repo.git(&["branch", "deep/side"]);
    settle(&repo);
    repo
}

/// Git trusts times that are older than its index alone.
fn settle(repo: &Checkout<'_>) {
    let index = fs::File::options().append(true).open(repo.dir.join(".git/index")).unwrap();
    index.set_modified(SystemTime::now() + Duration::from_mins(1)).unwrap();
}

#[test]
fn what_a_command_printed_is_told_again_until_something_that_it_rests_on_changes() {
    type Change = fn(&Checkout<'_>, &Asker<'_>);
    let put = |repo: &Checkout<'_>, path: &str, text: &str| {
        let path = repo.dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let changes: [(&str, Change); 12] = [
        ("a commit", |repo, _| drop(repo.commit("other.txt", "x\n"))),
        ("another branch", |repo, _| drop(repo.git(&["switch", "-q", "main"]))),
        ("a branch in a folder", |repo, _| drop(repo.git(&["branch", "-f", "deep/side", "main"]))),
        ("a new folder of branches", |repo, _| drop(repo.git(&["branch", "new/branch"]))),
        ("packed refs", |repo, _| drop(repo.git(&["pack-refs", "--all"]))),
        ("a comment", |_, ann| drop(ann.comment("a.txt", 7, "more"))),
        ("the commented file", |repo, _| fs::write(repo.dir.join("a.txt"), "other\n").unwrap()),
        ("no commented file", |repo, _| fs::remove_file(repo.dir.join("a.txt")).unwrap()),
        ("attributes", |repo, _| fs::write(repo.dir.join(".gitattributes"), "* -text\n").unwrap()),
        ("a setting", |repo, _| drop(repo.git(&["config", "core.quotePath", "false"]))),
        ("a rebase", |repo, _| {
            fs::create_dir(repo.dir.join(".git/rebase-merge")).unwrap();
            fs::write(repo.dir.join(".git/rebase-merge/head-name"), "refs/heads/topic\n").unwrap();
        }),
        ("another repository at the same place", |repo, _| {
            let moved = repo.dir.with_extension("moved");
            fs::rename(&repo.dir, &moved).unwrap();
            drop(fs::create_dir(&repo.dir));
        }),
    ];
    for (what, change) in changes {
        let sandbox = Sandbox::in_memory();
        let repo = commented(&sandbox);
        let folder = tempfile::tempdir().unwrap();
        let service = service(&folder);
        let ann = Asker::new(&service, "ann", &repo.dir);
        ann.comment("a.txt", 4, "here");
        ann.told(lines());
        put(&repo, "unrelated.txt", "new\n");
        service.remember(&printed(&ann, lines(), later())).unwrap();
        for _ in 0..2 {
            assert_eq!(recalled(&folder).as_deref(), Some("a.txt:4  here\n"), "before {what}");
        }
        change(&repo, &ann);
        assert_eq!(recalled(&folder), None, "{what}");
    }
}

#[test]
fn what_changed_while_a_command_ran_is_not_remembered() {
    let sandbox = Sandbox::in_memory();
    let repo = commented(&sandbox);
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let ann = Asker::new(&service, "ann", &repo.dir);
    let before = millis(SystemTime::now());
    ann.comment("a.txt", 4, "here");
    service.remember(&printed(&ann, lines(), before)).unwrap();
    assert_eq!(recalled(&folder), None, "the comment may be newer than what was printed");
    service.remember(&printed(&ann, lines(), later())).unwrap();
    assert!(recalled(&folder).is_some());
}

#[test]
fn what_rests_on_more_than_times_can_tell_is_not_remembered() {
    let sandbox = Sandbox::in_memory();
    let repo = commented(&sandbox);
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "here");
    // A name of a commit may be another one's any time.
    let named = List { head: HeadName::Rev("HEAD".into()), ..lines() };
    service.remember(&printed(&ann, named, later())).unwrap();
    assert_eq!(recalled(&folder), None, "a named commit");
    fs::write(repo.dir.join("a.txt"), "new\nline 1\n").unwrap();
    service.remember(&printed(&ann, lines(), later())).unwrap();
    assert_eq!(recalled(&folder), None, "a file that is not as it is committed");
    let asked = Remember { question: List { limit: Some(3), ..lines() }, ..printed(&ann, lines(), later()) };
    service.remember(&asked).unwrap();
    assert_eq!(recalled(&folder), None, "a list that nobody asked for");
}
