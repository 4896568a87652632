//! Reviews travel between people: `init`, `sync`, and plain git.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::support::postil::{POSTIL, folder_of_git_postil};
use crate::support::world::{Checkout, World};

/// Far longer than anything here takes, also on a loaded machine.
const TEN_SECONDS: Duration = Duration::from_secs(10);

/// A remote, and two people who cloned it.
fn team(world: &World) -> (Checkout<'_>, Checkout<'_>, Checkout<'_>) {
    let seed = world.repository("seed");
    seed.write("a.txt", "one\ntwo\nthree\n");
    seed.commit("first");
    seed.git("config core.bare true");
    let alice = world.clone_of(&seed, "alice");
    let bob = world.clone_of(&seed, "bob");
    (seed, alice, bob)
}

#[test]
fn two_people_exchange_comments_answers_and_resolutions() {
    let world = World::new();
    let (_remote, alice, bob) = team(&world);
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    assert_eq!(alice.postil("sync").code(0).stdout(), "nothing new; sent 1\n");
    assert_eq!(bob.postil("sync").code(0).stdout(), "1 new comment; nothing to send\n");
    assert!(bob.postil("list --all").code(0).stdout().contains("why two?"));
    bob.postil("show @").code(0);
    bob.postil("reply @ -m 'because'").code(0);
    bob.postil("resolve @ -m done").code(0);
    assert_eq!(bob.postil("sync").code(0).stdout(), "nothing new; sent 2\n");
    let told = alice.postil("sync").code(0).stdout();
    assert_eq!(told, "1 new comment, 1 thread resolved; nothing to send\n");
    assert!(alice.postil("show @").code(0).stdout().contains("because"));
}

#[test]
fn a_dry_run_and_one_way_say_what_they_do() {
    let world = World::new();
    let (_remote, alice, bob) = team(&world);
    alice.postil("comment a.txt:1 -m one").code(0);
    assert_eq!(alice.postil("sync --dry-run").code(0).stdout(), "would fetch: nothing new; would send: 1\n");
    assert_eq!(bob.postil("sync --fetch-only").code(0).stdout(), "nothing new\n");
    assert_eq!(alice.postil("sync --push-only").code(0).stdout(), "sent 1 to origin\n");
    bob.postil("comment a.txt:2 -m two").code(0);
    let refused = bob.postil("sync --push-only");
    assert!(refused.code(4).stderr().contains("hint: run `postil sync`"), "{}", refused.stderr());
    let json = bob.postil("sync --json").code(0).stdout();
    assert!(json.starts_with(r#"{"version":1,"remotes":[{"remote":"origin","came":{"comments":1"#), "{json}");
}

#[test]
fn without_a_remote_or_with_one_that_is_gone_the_error_says_what_to_do() {
    let world = World::new();
    let lone = world.repository("lone");
    lone.write("a.txt", "one\n");
    lone.commit("first");
    let told = lone.postil("sync");
    assert!(told.code(2).stderr().contains("git remote add origin"), "{}", told.stderr());
    lone.git("remote add origin ../nowhere");
    let told = lone.postil("sync");
    assert!(told.code(5).stderr().contains("could not fetch from origin"), "{}", told.stderr());
    lone.git("remote add other ../elsewhere");
    lone.git("remote rename origin third");
    let told = lone.postil("sync");
    assert!(
        told.code(2).stderr().contains("several remotes; choose one of other, third"),
        "{}",
        told.stderr()
    );
    let told = lone.postil("sync --all --json");
    let json = told.code(5).stdout();
    assert_eq!(json.matches(r#""error":"could not fetch"#).count(), 2, "{json}");
}

#[test]
fn after_init_a_plain_fetch_brings_the_notes_to_where_sync_finds_them() {
    let world = World::new();
    let (remote, alice, bob) = team(&world);
    let set = alice.postil("init").code(0).stdout();
    assert_eq!(
        set,
        "set notes.reviews.mergeStrategy=union\n\
         set remote.origin.fetch=+refs/notes/review*:refs/postil/remotes/origin/review*\n"
    );
    assert_eq!(alice.postil("init").code(0).stdout(), "", "a second time there is nothing to do");
    // A remote without notes breaks nothing.
    alice.git("fetch --quiet");
    bob.postil("comment a.txt:2 -m 'why two?'").code(0);
    bob.git("push --quiet origin refs/notes/reviews");
    assert!(remote.git("for-each-ref refs/notes").contains("refs/notes/reviews"));
    alice.postil("comment a.txt:3 -m 'why three?'").code(0);
    alice.git("fetch --quiet");
    assert!(alice.git("for-each-ref refs/postil/remotes").contains("refs/postil/remotes/origin/reviews"));
    assert!(alice.try_git("config --get-all remote.origin.push").stdout.is_empty());
    assert_eq!(alice.postil("sync").code(0).stdout(), "1 new comment; sent 1\n");
    let undone = alice.postil("init --undo").code(0).stdout();
    assert_eq!(undone.lines().filter(|line| line.starts_with("unset ")).count(), 2, "{undone}");
    assert_eq!(alice.git("config --get-all remote.origin.fetch"), "+refs/heads/*:refs/remotes/origin/*");
}

#[test]
fn after_init_a_mirror_that_is_pruned_loses_no_draft_and_no_comment() {
    let world = World::new();
    let (_remote, alice, _bob) = team(&world);
    alice.git("checkout --quiet --detach");
    alice.git("config remote.origin.fetch +refs/*:refs/*");
    let told = alice.postil("doctor").code(1).stdout();
    assert!(told.contains("`git fetch --prune` from origin deletes all refs under refs/postil/"), "{told}");
    let set = alice.postil("init").code(0).stdout();
    assert!(set.contains("set remote.origin.fetch=^refs/postil/*\n"), "{set}");
    assert_eq!(alice.postil("init").code(0).stdout(), "", "a second time there is nothing to do");
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    alice.postil("sync").code(0);
    alice.postil("comment a.txt:3 -m 'why three?'").code(0);
    alice.postil("comment a.txt:1 --draft -m 'why one?'").code(0);
    alice.git("fetch --quiet --prune");
    assert_eq!(alice.postil("sync").code(0).stdout(), "nothing new; sent 1\n");
    let listed = alice.postil("list --all").code(0).stdout();
    for words in ["why one?", "why two?", "why three?"] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    alice.postil("init --undo").code(0);
    assert_eq!(alice.git("config --get-all remote.origin.fetch"), "+refs/*:refs/*");
}

#[test]
fn a_mirror_that_is_pruned_without_init_is_warned_of_and_nothing_is_lost() {
    let world = World::new();
    let (_remote, alice, _bob) = team(&world);
    alice.git("checkout --quiet --detach");
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    alice.postil("sync").code(0);
    assert_eq!(alice.postil("status").code(0).stderr(), "");
    alice.git("config remote.origin.fetch +refs/*:refs/*");
    alice.git("config remote.origin.mirror true");
    alice.postil("comment a.txt:3 -m 'why three?'").code(0);
    alice.postil("comment a.txt:1 --draft -m 'why one?'").code(0);
    for told in [alice.postil("status"), alice.postil("sync --dry-run")] {
        let told = told.code(0).stderr();
        assert!(told.contains("warning: `git push origin` pushes all refs, including drafts"), "{told}");
        assert!(told.contains("warning: `git fetch --prune` from origin deletes drafts"), "{told}");
    }
    alice.git("fetch --quiet --prune");
    assert_eq!(alice.git("for-each-ref refs/postil"), "");
    let listed = alice.postil("list --all").code(0).stdout();
    assert!(listed.contains("why one?"), "{listed}");
    assert_eq!(alice.postil("sync").code(0).stdout(), "nothing new; sent 1\n");
    let listed = alice.postil("list --all").code(0).stdout();
    for words in ["why one?", "why two?", "why three?"] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    let told = alice.postil("publish").code(0).stdout();
    assert!(told.starts_with("published 1 record\n"), "{told}");
    assert!(alice.postil("doctor --fix").code(1).stdout().contains("deletes all refs under refs/postil/"));
    assert!(!alice.postil("status").code(0).stderr().contains("--prune"));
}

#[test]
fn notes_that_git_wrote_over_are_told_of_until_they_are_back() {
    let world = World::new();
    let (_remote, alice, bob) = team(&world);
    bob.postil("comment a.txt:1 -m 'why one?'").code(0);
    bob.postil("sync").code(0);
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    for (line, told) in [
        ("fetch --quiet origin +refs/notes/reviews:refs/notes/reviews", "was overwritten"),
        ("update-ref -d refs/notes/reviews", "was deleted"),
    ] {
        alice.git(line);
        let warned = alice.postil("status").code(0).stderr();
        assert_eq!(
            warned,
            format!("warning: refs/notes/reviews {told}; `postil list` or the next comment restores it\n")
        );
        alice.postil("sync").code(0);
        assert_eq!(alice.postil("status").code(0).stderr(), "");
        let listed = || alice.postil("list --all").code(0).stdout();
        assert!(listed().contains("why one?") && listed().contains("why two?"), "{line}: {}", listed());
        // Whoever only looks sees all of it as well, daemon or not.
        alice.git(line);
        assert!(listed().contains("why one?") && listed().contains("why two?"), "{line}: {}", listed());
        assert_eq!(alice.postil("status").code(0).stderr(), "");
    }
}

#[test]
fn a_daemon_brings_drafts_and_comments_back_that_a_mirror_pruned() {
    let world = World::new();
    let (_remote, alice, _bob) = team(&world);
    alice.git("checkout --quiet --detach");
    alice.postil("comment a.txt:3 -m 'why three?'").code(0);
    alice.postil("comment a.txt:1 --draft -m 'why one?'").code(0);
    let refs = || alice.git("for-each-ref refs/notes refs/postil");
    let before = refs();
    let mut daemon = alice.start_postil("daemon run");
    daemon.until("watching");
    alice.git("fetch --quiet --prune origin +refs/*:refs/*");
    daemon.until("restored a deleted ref");
    let deadline = Instant::now() + TEN_SECONDS;
    while refs() != before {
        assert!(Instant::now() < deadline, "{}", refs());
    }
    assert!(daemon.end(rustix::process::Signal::TERM).success());
}

#[test]
fn undoing_takes_back_what_init_did_here_and_leaves_what_somebody_set_for_all() {
    let world = World::new();
    let (_remote, alice, _bob) = team(&world);
    alice.git("config --global notes.reviews.mergeStrategy union");
    let fetch = "remote.origin.fetch=+refs/notes/review*:refs/postil/remotes/origin/review*\n";
    assert_eq!(alice.postil("init").code(0).stdout(), format!("set {fetch}"));
    assert_eq!(alice.postil("init --undo").code(0).stdout(), format!("unset {fetch}"));
    assert_eq!(alice.postil("init --undo").code(0).stderr(), "nothing to undo\n");
    assert_eq!(alice.git("config notes.reviews.mergeStrategy"), "union");
    // Git renames a remote, and leaves its reviews where they were.
    alice.postil("init").code(0);
    alice.git("remote rename origin upstream");
    assert!(alice.postil("init --undo").code(0).stdout().contains(":refs/postil/remotes/origin/review*"));
    assert_eq!(alice.git("config --get-all remote.upstream.fetch"), "+refs/heads/*:refs/remotes/upstream/*");
    let told = alice.postil("init --remote origin");
    assert!(told.code(2).stderr().ends_with("because: the remotes are upstream\n"), "{}", told.stderr());
}

#[test]
fn a_daemon_that_is_asked_to_exchanges_reviews_after_a_push() {
    let world = World::new();
    let (remote, alice, _bob) = team(&world);
    alice.git("config postil.autosync on-push");
    let mut daemon = alice.start_postil("daemon run");
    daemon.until("watching");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\nthree\n");
    alice.commit("second");
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    alice.git("push --quiet origin topic");
    daemon.until("synced reviews");
    assert!(remote.git("for-each-ref refs/notes").contains("refs/notes/reviews"));

    // What fails is shown, and nothing hangs.
    alice.git("remote set-url origin ../nowhere");
    alice.git("update-ref refs/remotes/origin/topic HEAD~1");
    daemon.until("could not sync reviews");
    let status = || alice.postil("status").code(0).stderr();
    let warning = "warning: background sync failed";
    assert!(status().contains(warning), "{}", status());

    // One that cannot be reached keeps no other waiting, and whoever reaches it makes it good.
    alice.git("remote add second ../second.git");
    remote.git("clone --quiet --bare . ../second.git");
    alice.git("update-ref refs/postil/remotes/second/reviews refs/postil/remotes/origin/reviews");
    alice.git("update-ref refs/remotes/origin/topic HEAD");
    daemon.until(r#"remote="second""#);
    assert!(status().contains(warning), "{}", status());
    alice.git("remote set-url origin ../seed");
    alice.postil("sync").code(0);
    assert!(!status().contains(warning), "{}", status());
    assert!(daemon.end(rustix::process::Signal::TERM).success());
}

#[test]
fn a_server_that_hangs_keeps_no_daemon_from_ending_and_leaves_nothing_behind() {
    let world = World::new();
    let (_remote, alice, _bob) = team(&world);
    // It accepts, and never says a word.
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = server.local_addr().expect("an address").port();
    alice.git(&format!("remote set-url origin git://127.0.0.1:{port}/x.git"));
    alice.git("config postil.autosync 1h");
    let (tell, called) = mpsc::channel();
    std::thread::spawn(move || tell.send(server.accept()));
    let daemon = alice.start_postil("daemon run");
    let (mut line, _) = called.recv_timeout(TEN_SECONDS).expect("the daemon calls").expect("it can be heard");
    assert_eq!(alice.postil("comment a.txt:1 -m 'one can work meanwhile'").code(0).stderr(), "");
    assert!(daemon.end(rustix::process::Signal::TERM).success());
    // The git that holds the other end of the line was ended with it.
    line.set_read_timeout(Some(TEN_SECONDS)).expect("a time that is not zero");
    line.read_to_end(&mut Vec::new()).expect("the line ends");
    assert!(alice.postil("status").code(0).stderr().is_empty(), "that is nothing to tell of");
}

/// Pushes as a person does who has postil installed.
fn push(checkout: &Checkout<'_>) -> Output {
    let mut path = vec![folder_of_git_postil().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").expect("there is a PATH")));
    let path = std::env::join_paths(path).expect("no folder of the PATH holds its separator");
    let mut git = checkout.command("git");
    git.env("PATH", path).args(["push", "--quiet", "origin", "topic"]).output().expect("git can be started")
}

#[test]
fn the_gate_stops_a_push_with_open_blockers_and_runs_the_hook_before_it() {
    let world = World::new();
    let (_remote, alice, _bob) = team(&world);
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\nthree\n");
    alice.commit("second");
    alice.write(".git/hooks/pre-push", "#!/bin/sh\ncat >>ran-before\n");
    let hook = alice.folder.join(".git/hooks/pre-push");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("a file of ours");
    let installed = alice.postil("hook install");
    installed.code(0);
    assert!(installed.stdout().starts_with("installed "), "{}", installed.stdout());
    alice.postil("comment a.txt:2 -m 'not like this' --severity blocker").code(0);
    // The fix has to reach the reviewer; what must wait is the merge.
    assert!(push(&alice).status.success());
    let merge = || {
        let mut git = alice.command("git");
        git.args(["push", "--quiet", "origin", "topic:main"]).output().expect("git can be started")
    };
    let refused = merge();
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    let id = alice.postil("list").code(0).stdout();
    let id = id.split_whitespace().next().expect("a thread is listed").to_owned();
    assert!(said.contains(&format!("see them with `postil show {id}`")), "{said}");
    alice.git("config postil.hook sometimes");
    let said = String::from_utf8_lossy(&merge().stderr).into_owned();
    assert!(said.contains("could not check") && said.contains("postil.hook all"), "{said}");
    alice.git("config postil.hook all");
    alice.git("commit --quiet --allow-empty -m more");
    let refused = push(&alice);
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("error: the commits being pushed have open blockers"), "{said}");
    assert!(alice.folder.join("ran-before").exists());
    alice.postil("resolve @").code(0);
    let passed = push(&alice);
    assert!(passed.status.success());
    assert_eq!(String::from_utf8_lossy(&passed.stderr), "", "who passes the gate hears nothing of it");
    alice.postil("hook uninstall").code(0);
    assert!(!alice.folder.join(".git/hooks/pre-push.before-postil").exists());
    assert!(std::fs::read_to_string(&hook).expect("it is back").contains("ran-before"));
    // A link to a hook that this commit does not have: nothing is written where it leads.
    std::fs::remove_file(&hook).expect("a file of ours");
    std::os::unix::fs::symlink("../../pre-push", &hook).expect("a link can be made");
    alice.postil("hook install").code(0);
    assert!(!alice.folder.join("pre-push").exists());
    alice.postil("hook uninstall").code(0);
    assert!(std::fs::read_link(&hook).is_ok_and(|link| link.ends_with("pre-push")));
}

#[test]
fn the_gate_stands_where_git_looks_for_it_and_passes_on_what_git_says() {
    let world = World::new();
    let (_remote, alice, _bob) = team(&world);
    let hook_in = |dir: &std::path::Path| {
        assert!(alice.postil("hook install").code(0).stderr().contains("core.hooksPath"));
        assert!(dir.join("pre-push").exists(), "{}", dir.display());
    };
    alice.git("config core.hooksPath '~/hooks'");
    let hooks = world.home().join("hooks");
    hook_in(&hooks);
    // A push with nothing to push: the hook before gets not one line.
    alice.postil("hook uninstall").code(0);
    let before = "#!/bin/sh\nwhile read line; do echo \"line $line\" >>told; done\n: >>told\n";
    std::fs::write(hooks.join("pre-push"), before).expect("a folder of ours");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(hooks.join("pre-push"), executable).expect("a file of ours");
    hook_in(&hooks);
    alice.git("branch topic");
    let told = || std::fs::read_to_string(alice.folder.join("told")).expect("the hook before ran");
    assert!(push(&alice).status.success());
    assert_eq!(told().lines().count(), 1, "{}", told());
    assert!(push(&alice).status.success());
    assert_eq!(told().lines().count(), 1, "{}", told());

    // In a bare repository a relative path begins at the git directory.
    alice.git("config core.hooksPath hooks-of-ours");
    alice.git("config core.bare true");
    let mut install = alice.command(POSTIL);
    install.current_dir(alice.folder.join(".git/refs")).args(["hook", "install"]).env("POSTIL_DAEMON", "off");
    assert!(install.output().expect("postil can be started").status.success());
    assert!(alice.folder.join(".git/hooks-of-ours/pre-push").exists());
}

#[test]
fn a_gate_that_cannot_look_lets_nothing_pass_and_says_why() {
    let world = World::new();
    let (_remote, alice, _bob) = team(&world);
    alice.git("branch topic");
    alice.postil("hook install").code(0);
    let push = |options: &[&str]| {
        let mut git = alice.command("git");
        git.args(["push", "--quiet", "origin", "topic"]).args(options).output().expect("git can be started")
    };
    // Nobody has postil on the PATH here, and the one that made the hook is where it was.
    assert!(push(&["--dry-run"]).status.success());
    let hook = alice.folder.join(".git/hooks/pre-push");
    let made = std::fs::read_to_string(&hook).expect("a file of ours");
    let gone = made.replace(POSTIL, "/it's gone/postil".replace('\'', r"'\''").as_str());
    assert_ne!(gone, made);
    std::fs::write(&hook, &gone).expect("a file of ours");
    let refused = push(&[]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success());
    for words in
        ["nothing was pushed", "neither on the PATH nor at /it's gone/postil", "git push --no-verify"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said.contains("to remove the hook, delete ") && said.contains("pre-push"), "{said}");
    assert!(push(&["--no-verify"]).status.success());
    // Installed once more, it knows where postil is now.
    assert!(alice.postil("hook install").code(0).stdout().starts_with("installed "));
    assert_eq!(std::fs::read_to_string(&hook).expect("a file of ours"), made);
    assert_eq!(alice.postil("hook install").code(0).stderr(), "the hook is already installed\n");
}

#[test]
fn drafts_are_never_sent_and_all_of_a_review_are_published_at_once() {
    let world = World::new();
    let (remote, alice, bob) = team(&world);
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\nTWO\nthree\n");
    alice.commit("louder");
    alice.git("push --quiet origin topic");
    alice.write("a.txt", "one\nTWO\nnobody has seen this yet\n");
    alice.postil("comment a.txt:2 --draft -m 'a secret question'").code(0);
    // What belongs to a review that is a draft is one too, whether that is said or not.
    alice.postil("comment a.txt:3 -m 'a secret remark'").code(0);
    alice.postil("reply @ -m 'a secret answer'").code(0);
    alice.postil("review approve -m 'a secret verdict'").code(0);
    let shown = alice.postil("review show").code(0).stdout();
    assert!(shown.contains("draft  louder") && shown.contains("approved by alice  (draft)"), "{shown}");
    assert!(alice.postil("status").code(0).stdout().contains("5 drafts (use `postil publish` to share)"));

    let sent = || {
        let refs = remote.git("for-each-ref --format=%(refname)");
        let names = remote.git("cat-file --batch-all-objects --batch-check=%(objectname)");
        let said = |name: &str| remote.git(&format!("cat-file -p {name}"));
        let found = names.lines().filter(|name| {
            let said = said(name);
            said.contains("secret") || said.contains("nobody has seen")
        });
        (refs, found.count())
    };
    alice.postil("sync").code(0);
    assert_eq!(sent(), ("refs/heads/main\nrefs/heads/topic".into(), 0));
    // Something that is shared does not take drafts along.
    alice.git("restore a.txt");
    alice.git("switch --quiet --detach main");
    alice.postil("comment a.txt:1 -m 'for everybody'").code(0);
    alice.postil("sync").code(0);
    let (refs, found) = sent();
    assert_eq!((refs.as_str(), found), ("refs/heads/main\nrefs/heads/topic\nrefs/notes/reviews", 0));
    bob.postil("sync").code(0);
    assert_eq!(bob.postil("review list --all").code(0).stdout(), "");

    let told = alice.postil("publish --review topic").code(0).stdout();
    assert!(told.starts_with("published 5 records\n"), "{told}");
    assert_eq!(alice.git("log --format=%s -1 refs/notes/reviews"), "Publish drafts");
    assert_eq!(alice.git("for-each-ref refs/postil/drafts"), "");
    alice.postil("sync").code(0);
    bob.postil("sync").code(0);
    let told = bob.postil("list --all").code(0).stdout();
    assert!(told.contains("a secret question") && told.contains("a secret remark"), "{told}");
    let (_, found) = sent();
    assert!(found > 0, "now it was sent");
}
