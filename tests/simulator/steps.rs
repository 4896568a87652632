//! What can happen, one thing at a time or several at once.

use std::fs;

use rustix::process::{Signal, kill_process};

use crate::damage::{Damaged, Harm};
use crate::faults;
use crate::model::{Id, Model};
use crate::person::{Outcome, With};
use postil_testkit::Dice;

use crate::run::Stage;
use crate::support::finished::Finished;

/// What stock git does to a repository in use, well meant or not.
const GIT: [&str; 18] = [
    "gc --quiet",
    "gc --quiet --prune=now",
    "repack -a -d -q",
    "pack-refs --all",
    "prune-packed",
    "reflog expire --expire=now --all",
    "maintenance run --quiet",
    "prune --expire=now",
    "notes --ref=reviews append -m appended HEAD",
    "notes --ref=reviews remove --ignore-missing HEAD",
    "notes --ref=reviews copy --force HEAD HEAD~1",
    "notes --ref=reviews prune",
    "notes --ref=reviews merge -s cat_sort_uniq refs/postil/remotes/origin/reviews",
    "notes --ref=reviews merge -s theirs refs/postil/remotes/origin/reviews",
    "notes --ref=reviews merge -s ours refs/postil/remotes/origin/reviews",
    "fetch --quiet --prune origin +refs/heads/*:refs/remotes/origin/*",
    "fetch --quiet origin +refs/notes/*:refs/notes/*",
    "update-ref -d refs/notes/reviews",
];

/// Lock files that somebody who died may leave behind.
const LOCKS: [&str; 7] = [
    "refs/notes/reviews.lock",
    "refs/postil/known.lock",
    "refs/postil/drafts.lock",
    "packed-refs.lock",
    "HEAD.lock",
    "index.lock",
    "config.lock",
];

/// One step.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Comment,
    Reply,
    Edit,
    Resolve,
    Reopen,
    Draft,
    Publish,
    Purge,
    Sync,
    History,
    StockGit,
    SeveralAtOnce,
    KillTheDaemon,
    KillTheCommand,
    FailACall,
    DamageAnObject,
    LeaveALock,
    JumpOfTheClock,
}

impl Step {
    /// Chooses one; people write more often than disks fail.
    pub fn choose(dice: &mut Dice) -> Self {
        match dice.below(37) {
            0..6 => Self::Comment,
            6..8 => Self::Reply,
            8 => Self::Edit,
            9 | 10 => Self::Resolve,
            11 => Self::Reopen,
            12 => Self::Draft,
            13 => Self::Publish,
            14 => Self::Purge,
            15 | 16 => Self::Sync,
            17 | 18 => Self::History,
            19..22 => Self::StockGit,
            22..25 => Self::SeveralAtOnce,
            25 | 26 => Self::KillTheDaemon,
            27 | 28 => Self::KillTheCommand,
            29..31 => Self::DamageAnObject,
            31 | 32 => Self::LeaveALock,
            33..36 => Self::FailACall,
            _ => Self::JumpOfTheClock,
        }
    }

    /// Does it.
    pub fn take(self, stage: &mut Stage<'_>, who: usize) {
        match self {
            Self::Comment => comment(stage, who, ""),
            Self::Draft => comment(stage, who, " --draft"),
            Self::Reply => reply(stage, who),
            Self::Edit => edit(stage, who),
            Self::Resolve => set_status(stage, who, "resolve", "resolved"),
            Self::Reopen => set_status(stage, who, "reopen", "open"),
            Self::Publish => publish(stage, who),
            Self::Purge => purge(stage, who),
            Self::Sync => sync(stage, who),
            Self::History => history(stage, who),
            Self::StockGit => {
                let line = stage.dice.pick(&GIT);
                println!("`git {line}`");
                drop(stage.people[who].checkout.try_git(line));
            }
            Self::SeveralAtOnce => several_at_once(stage, who),
            Self::KillTheDaemon => kill_the_daemon(stage, who),
            Self::KillTheCommand => kill_the_command(stage, who),
            Self::FailACall => fail_a_call(stage, who),
            Self::DamageAnObject => damage_an_object(stage, who),
            Self::LeaveALock => leave_a_lock(stage, who),
            Self::JumpOfTheClock => {
                let years = stage.dice.below(120);
                stage.people[who].clock.set(years * 31_557_600 + 1);
            }
        }
    }
}

impl Stage<'_> {
    /// One of the ids that the model names.
    fn any(&mut self, ids: impl Fn(&Model) -> Vec<Id>) -> Option<Id> {
        let ids = ids(&self.model);
        (!ids.is_empty()).then(|| self.dice.pick(&ids).clone())
    }

    fn with(&mut self) -> With {
        if self.dice.below(2) == 0 { With::Daemon } else { With::NoDaemon }
    }

    /// Tells the model what came of a comment.
    fn note(&mut self, who: usize, outcome: Outcome, thread: Option<String>, text: String) {
        match outcome {
            Outcome::Written { id, draft } => {
                let thread = thread.unwrap_or_else(|| id.clone());
                self.model.said(who, id, thread, text, draft);
            }
            Outcome::Refused(_) => {
                self.tally.refused += 1;
                self.model.refused(text);
            }
            Outcome::Uncertain => self.model.uncertain(text),
        }
    }
}

fn comment(stage: &mut Stage<'_>, who: usize, options: &str) {
    let (text, with) = (stage.text(), stage.with());
    let line = format!("comment a.txt:{} -m '{text}'{options}", 1 + stage.dice.below(5));
    let outcome = stage.people[who].write(with, &line);
    must_succeed(&outcome, &line);
    stage.note(who, outcome, None, text);
}

fn reply(stage: &mut Stage<'_>, who: usize) {
    let Some(thread) = stage.any(|model| model.threads(who)) else { return };
    let (text, with) = (stage.text(), stage.with());
    let outcome = stage.people[who].write(with, &format!("reply {thread} -m '{text}'"));
    must_succeed(&outcome, "reply");
    stage.note(who, outcome, Some(thread), text);
}

fn edit(stage: &mut Stage<'_>, who: usize) {
    let Some(id) = stage.any(|model| model.own_threads(who)) else { return };
    let (text, with) = (stage.text(), stage.with());
    let outcome = stage.people[who].write(with, &format!("edit {id} -m '{text}'"));
    must_succeed(&outcome, "edit");
    if let Outcome::Written { .. } = outcome {
        stage.model.edited(&id, text);
    }
}

fn set_status(stage: &mut Stage<'_>, who: usize, verb: &str, status: &'static str) {
    let Some(id) = stage.any(|model| model.own_threads(who)) else { return };
    let with = stage.with();
    let outcome = stage.people[who].write(with, &format!("{verb} {id}"));
    must_succeed(&outcome, verb);
    if let Outcome::Written { .. } = outcome {
        stage.model.status(&id, Some(status));
    }
}

fn publish(stage: &mut Stage<'_>, who: usize) {
    if stage.model.drafts(who) == 0 {
        return;
    }
    let with = stage.with();
    let outcome = stage.people[who].write(with, "publish --all");
    must_succeed(&outcome, "publish");
    stage.model.published(who);
}

fn purge(stage: &mut Stage<'_>, who: usize) {
    let Some(id) = stage.any(|model| model.own_threads(who)) else { return };
    let with = stage.with();
    let outcome = stage.people[who].write(with, &format!("purge --force {id}"));
    must_succeed(&outcome, "purge");
    stage.model.purged(who, &id);
}

fn sync(stage: &mut Stage<'_>, who: usize) {
    let with = stage.with();
    let finished = Finished::run(&mut stage.people[who].command(with, "sync"));
    finished.code(0);
    stage.tally.syncs += 1;
    stage.model.synced(who);
}

fn history(stage: &mut Stage<'_>, who: usize) {
    let lines: String = ["one", "two", "three", "four", "five"]
        .map(|word| format!("{word} {}\n", stage.dice.below(3)))
        .concat();
    let kind = stage.dice.below(3);
    let checkout = &stage.people[who].checkout;
    match kind {
        0 => {
            checkout.write("a.txt", lines);
            checkout.commit("more");
        }
        1 => {
            checkout.write("a.txt", lines);
            checkout.git("commit --quiet --all --allow-empty --amend --no-edit");
        }
        // Not committed: what is on disk counts.
        _ => checkout.write("a.txt", lines),
    }
}

/// Two comments and a git, at the same time.
fn several_at_once(stage: &mut Stage<'_>, who: usize) {
    let texts = [stage.text(), stage.text()];
    let line = stage.dice.pick(&GIT[..8]);
    // Shown if the run fails.
    println!("two comments beside `git {line}`");
    let person = &stage.people[who];
    let git = person.checkout.command("git").args(line.split(' ')).spawn().expect("git can be started");
    let first = person.start(With::Daemon, &format!("comment a.txt:1 -m '{}'", texts[0]));
    let second = person.start(With::NoDaemon, &format!("comment a.txt:2 -m '{}'", texts[1]));
    let outcomes = [first, second].map(Outcome::of_child);
    drop(git.wait_with_output());
    for (outcome, text) in outcomes.into_iter().zip(texts) {
        must_succeed(&outcome, "one of several comments");
        stage.note(who, outcome, None, text);
    }
}

fn kill_the_daemon(stage: &mut Stage<'_>, who: usize) {
    let text = stage.text();
    let started = stage.people[who].start(With::Daemon, &format!("comment a.txt:3 -m '{text}'"));
    for _ in 0..stage.dice.below(40) {
        drop(fs::metadata(&stage.people[who].checkout.folder));
    }
    if let Some(pid) = stage.world.daemon() {
        // It may have ended meanwhile.
        let _ = kill_process(pid, Signal::KILL);
        stage.tally.kills += 1;
    }
    let outcome = Outcome::of_child(started);
    stage.note(who, outcome, None, text);
}

fn kill_the_command(stage: &mut Stage<'_>, who: usize) {
    let text = stage.text();
    let mut started = stage.people[who].start(With::NoDaemon, &format!("comment a.txt:4 -m '{text}'"));
    // About as long as a command takes, measured in looks at a file.
    for _ in 0..stage.dice.below(40_000) {
        drop(fs::metadata(&stage.people[who].checkout.folder));
    }
    // It may be through already.
    let _ = started.kill();
    stage.tally.kills += 1;
    let outcome = Outcome::of_child(started);
    stage.note(who, outcome, None, text);
}

/// A disk that fails at one call of a command, or from one call on; what is acknowledged all the same is kept.
fn fail_a_call(stage: &mut Stage<'_>, who: usize) {
    let text = stage.text();
    let command = stage.people[who].command(With::NoDaemon, &format!("comment a.txt:2 -m '{text}'"));
    let git_dir = stage.people[who].checkout.folder.join(".git");
    let Some((outcome, failed)) = faults::run(command, &git_dir, &stage.world.tmp(), &mut stage.dice) else {
        return;
    };
    stage.tally.faults += failed;
    stage.note(who, outcome, None, text);
}

/// While an object is damaged, nothing crashes or hangs, and no check passes that could not look.
fn damage_an_object(stage: &mut Stage<'_>, who: usize) {
    let harm = Harm::choose(&mut stage.dice);
    let Some(damaged) = Damaged::choose(&stage.people[who].checkout, &mut stage.dice, harm) else { return };
    stage.tally.damages += 1;
    let (text, with) = (stage.text(), stage.with());
    for line in ["list --all", "status", "doctor"] {
        let code = Finished::run(&mut stage.people[who].command(with, line)).exit();
        assert!(matches!(code, Some(0..=5)), "{line} ended with {code:?} while an object was {harm:?}");
    }
    let outcome = stage.people[who].write(with, &format!("comment a.txt:5 -m '{text}'"));
    stage.note(who, outcome, None, text);
    damaged.mend();
    stage.people[who].checkout.postil("doctor --fix");
}

/// A lock that nobody holds: readers read on, and a writer waits until it is gone.
fn leave_a_lock(stage: &mut Stage<'_>, who: usize) {
    let (text, with) = (stage.text(), stage.with());
    let name = stage.dice.pick(&LOCKS);
    let person = &stage.people[who];
    let lock = person.checkout.folder.join(".git").join(name);
    if lock.exists() || !lock.parent().is_some_and(std::path::Path::exists) {
        return;
    }
    fs::write(&lock, b"").expect("a lock can be made");
    let started = person.start(with, &format!("comment a.txt:1 -m '{text}'"));
    let listed = Finished::run(&mut person.command(With::NoDaemon, "list --all"));
    fs::remove_file(&lock).expect("the lock is ours");
    listed.code(0);
    let outcome = Outcome::of_child(started);
    must_succeed(&outcome, "a comment that waited for a lock");
    stage.note(who, outcome, None, text);
}

/// With nothing broken, a command that people use does what it is asked.
#[track_caller]
fn must_succeed(outcome: &Outcome, line: &str) {
    if let Outcome::Refused(why) = outcome {
        panic!("{line} was refused: {why}");
    }
}
