//! With a daemon and without one, the same commands say the same.

use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// A day's work; `git …` and `write FILE LINES` stand between the commands of postil.
const STORY: &[&str] = &[
    "write src/lib.rs 'fn one() {}|fn two() {}|fn three() {}|fn four() {}'",
    "git add --all",
    "git commit --quiet -m first",
    "init",
    "git switch --quiet -c topic",
    "list",
    "write better 'fn TWO() {}'",
    "suggest src/lib.rs:2 --with better -m 'louder'",
    "apply @ --check",
    "--json apply @",
    "list",
    "apply --undo",
    "patch apply better",
    "comment src/lib.rs:2 -m 'why two?'",
    "comment src/lib.rs:3 -m 'and three?'",
    "comment src/nowhere.rs:1 -m lost",
    "comment src/lib.rs:99 -m far",
    "--json list",
    "reply @ -m 'because'",
    "status",
    "write src/lib.rs 'fn zero() {}|fn one() {}|fn two() {}|fn drei() {}|fn four() {}'",
    "list",
    "git commit --quiet -a -m second",
    "--json list",
    "show @",
    "show abcdef",
    "resolve @ -m done",
    "list",
    "list --all",
    "comment src/lib.rs:1 -m 'not yet' --draft",
    "status",
    "publish",
    "git mv src/lib.rs src/code.rs",
    "git commit --quiet -m rename",
    "--json list --all",
    "git rm --quiet src/code.rs",
    "git commit --quiet -m gone",
    "--json list --all",
    "git reset --quiet --hard HEAD~2",
    "diff",
    "review list",
    "review show",
    "--json status",
    "review since",
    "review request-changes -m 'not yet'",
    "git branch -m topic parser",
    "review show",
    "write src/lib.rs 'fn one() {}|fn two() {}|fn tre() {}|fn four() {}'",
    "git commit --quiet -a -m third",
    "review since",
    "--json review list",
    "git switch --quiet main",
    "list",
    "git merge --quiet --squash parser",
    "git commit --quiet -m all",
    "git branch --quiet -D parser",
    "review list --all",
    "review show parser",
    "--json list",
    "nonsense",
];

fn tell(
    world: &World,
    alice: &Checkout<'_>,
    run: impl Fn(&str) -> crate::support::finished::Finished,
) -> Vec<String> {
    let mut told = Vec::new();
    for line in STORY {
        if let Some(line) = line.strip_prefix("git ") {
            alice.git(line);
        } else if let Some(rest) = line.strip_prefix("write ") {
            let (file, lines) = rest.split_once(' ').expect("a file and its lines");
            alice.write(file, lines.trim_matches('\'').replace('|', "\n") + "\n");
        } else {
            let finished = run(line);
            let all = format!("{line}\n{}{}", finished.stdout(), finished.stderr());
            // Each world is somewhere else.
            told.push(without_tip(&all.replace(&*world.people().to_string_lossy(), "PEOPLE")));
        }
    }
    told
}

/// Positions are written back by the daemon alone, so that the notes' own commit, which marks have too, is another.
fn without_tip(told: &str) -> String {
    let mut all = told.to_owned();
    for field in ["\"notes\":\"", "\"mark\":\""] {
        let told = std::mem::take(&mut all);
        let mut parts = told.split(field);
        all.push_str(parts.next().unwrap_or_default());
        for part in parts {
            all.push_str(field);
            all.push_str("TIP");
            all.push_str(part.trim_start_matches(|c: char| c != '"'));
        }
    }
    all
}

#[test]
fn a_days_work_looks_the_same_with_a_daemon_and_without() {
    let (with, without) = (World::new(), World::new());
    let _served = Served(&with);
    let served = with.repository("alice");
    let alone = without.repository("alice");
    let with_daemon = tell(&with, &served, |line| served.served(line));
    assert!(with.daemon().is_some(), "the daemon answered");
    let by_itself = tell(&without, &alone, |line| alone.postil(line));
    for (with, without) in with_daemon.iter().zip(&by_itself) {
        assert_eq!(with, without);
    }
    assert!(by_itself.iter().any(|told| told.contains("why two?")));
}
