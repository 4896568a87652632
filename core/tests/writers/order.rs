//! The order in which a write reaches the disk: what a ref leads to is there before the ref, and both before the
//! answer. A power loss at any moment then finds nothing acknowledged missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use postil_core::git::ObjectId;
use postil_testkit::{Checkout, Sandbox, skipped};

use super::disk::Disk;

use super::writer::{self, Orders, Said};
use postil_testkit::tracer::{Call, End, Moment, Next, Tracee};

/// Refs that must outlive a power loss; `refs/postil/known` need not.
const LASTING_REFS: [&str; 2] = ["refs/notes/reviews", "refs/postil/pins"];

/// A call of the writer, and the value of the lasting ref that it moved.
struct Step {
    call: Call,
    moved_to: Option<String>,
}

#[test]
fn a_write_is_on_disk_before_its_ref_and_its_ref_before_the_answer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    // As after `git gc` in a repository without packs: directories that are just made must be synced as well.
    fs::remove_dir(repo.dir.join(".git/objects/pack")).unwrap();
    let orders = Orders { seed: 1, batches: 24, repo: repo.dir.clone() };
    let Some(steps) = trace(&orders) else { return skipped("permission to trace a child process") };
    let judged = Judge::new(&repo, &[]).judge(&steps);
    assert!(judged.packed > 0 && judged.loose > 0, "both ways of writing were seen");
    assert_eq!(judged.answers, 24);
}

#[test]
fn what_stock_git_left_unsynced_is_on_disk_before_a_ref_of_ours_leads_to_it() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repo("origin");
    let number = (0..100).find(|number| writer::pinned_text(7, *number).is_some()).unwrap();
    origin.commit("pinned", &writer::pinned_text(7, number).unwrap());
    sandbox.git(&["clone", "-q", "origin", "repo"]);
    let repo = sandbox.at("repo");
    let pinned = repo.git(&["rev-parse", "HEAD:pinned"]);
    repo.say("HEAD", "why?");
    let before = repo.git(&["rev-parse", "refs/notes/reviews"]);
    // A note of theirs, and one of ours that is lost and comes back in the commit that our next write stands on.
    repo.git(&["notes", "--ref=reviews", "add", "-m", "from stock git", "HEAD^"]);
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD"]);

    let orders = Orders { seed: 7, batches: number + 1, repo: repo.dir.clone() };
    let Some(steps) = trace(&orders) else { return skipped("permission to trace a child process") };
    let judged = Judge::new(&repo, &[before]).judge(&steps);
    let path = format!("refs/notes/reviews:pins/{}/{}", &pinned[..2], &pinned[2..]);
    assert_eq!(repo.git(&["rev-parse", &path]), pinned, "the blob is pinned for everybody");
    assert!(judged.objects.contains(&pinned), "the pinned blob was judged");
}

/// Lets a writer do its work, and returns its steps; `None` where processes cannot be traced.
fn trace(orders: &Orders) -> Option<Vec<Step>> {
    let tracee = Tracee::start(orders.command(writer::IMPATIENT_WRITER)).ok()?;
    let mut steps = Vec::new();
    let (end, said) = tracee.run(|moment| {
        if let Moment::After(call, Ok(())) = moment {
            let moved =
                lasting_ref(call).map(|path| fs::read_to_string(path).expect("the writer stands still"));
            let moved_to = moved.map(|tip| tip.trim_end().to_owned());
            steps.push(Step { call: call.clone(), moved_to });
        }
        Next::Go
    });
    let said = Said::parse(&said);
    assert_eq!(end, End::Exited(0), "{}", said.other);
    assert!(said.outcomes.iter().all(Result::is_ok), "{:?}", said.outcomes);
    Some(steps)
}

fn lasting_ref(call: &Call) -> Option<&Path> {
    match call {
        Call::Rename(_, to) if LASTING_REFS.iter().any(|name| to.ends_with(name)) => Some(to),
        _ => None,
    }
}

/// Follows the steps, and complains when something is promised that is not on disk.
struct Judge<'r> {
    repo: &'r Checkout<'r>,
    disk: Disk,
    /// Tips whose objects are on disk; without any, everything of postil's was made in these steps.
    settled: Vec<String>,
    /// Refs that moved since the last answer.
    moved: Vec<PathBuf>,
    judged: Judged,
}

/// What was looked at.
#[derive(Default)]
struct Judged {
    objects: BTreeSet<String>,
    loose: usize,
    packed: usize,
    answers: usize,
}

impl<'r> Judge<'r> {
    fn new(repo: &'r Checkout<'r>, settled: &[String]) -> Self {
        let judged = Judged::default();
        Self { repo, disk: Disk::default(), settled: settled.into(), moved: Vec::new(), judged }
    }

    fn judge(mut self, steps: &[Step]) -> Judged {
        for Step { call, moved_to } in steps {
            if let (Call::Rename(from, to), Some(_)) = (call, moved_to) {
                self.expect("the value of the ref", self.disk.doubts_content(from));
                self.moved.push(to.clone());
            }
            if let Call::Link(_, lock) = call
                && LASTING_REFS.iter().any(|name| lock.ends_with(format!("{name}.lock")))
            {
                self.judge_note();
            }
            self.disk.see(call);
            if let Some(tip) = moved_to {
                self.judge_objects(tip);
            }
            if *call == Call::Tell {
                self.judged.answers += 1;
                for path in std::mem::take(&mut self.moved) {
                    self.expect("a ref that was answered for", self.disk.doubts(&path));
                }
            }
        }
        self.judged
    }

    /// The next writer has to know whose the lock was.
    fn judge_note(&self) {
        let note = self.git_dir().join("postil/writer");
        let doubt =
            if self.settled.is_empty() { self.disk.doubts(&note) } else { self.disk.doubts_content(&note) };
        self.expect("the note about a lock", doubt);
    }

    fn judge_objects(&mut self, tip: &str) {
        let mut args = vec!["rev-list", "--objects", tip, "--not"];
        args.extend(self.settled.iter().map(String::as_str));
        let listed = self.repo.git(&args);
        for object in listed.lines().filter_map(|line| line.split(' ').next()) {
            let loose = self.git_dir().join("objects").join(&object[..2]).join(&object[2..]);
            if loose.is_file() {
                self.expect("an object", self.disk.doubts(&loose));
                self.judged.loose += 1;
            } else {
                let pack = self.pack_of(object);
                self.expect("a pack", self.disk.doubts(&pack));
                self.expect("an index", self.disk.doubts(&pack.with_extension("idx")));
                self.judged.packed += 1;
            }
            self.judged.objects.insert(object.to_owned());
        }
        self.settled.push(tip.to_owned());
    }

    fn pack_of(&self, object: &str) -> PathBuf {
        let id = ObjectId::from_hex(object.as_bytes()).expect("git prints ids");
        let dir = self.git_dir().join("objects/pack");
        let indices = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path());
        let mut indices = indices.filter(|path| path.extension().is_some_and(|ext| ext == "idx"));
        // The ids stand in an index as they are.
        let has = |path: &PathBuf| fs::read(path).unwrap().windows(20).any(|bytes| bytes == id.as_bytes());
        indices.find(has).unwrap_or_else(|| panic!("{object} is nowhere")).with_extension("pack")
    }

    fn expect(&self, what: &str, doubt: Option<String>) {
        if let Some(doubt) = doubt {
            panic!("{what} is not safe from a power loss: {doubt}, after {} answers", self.judged.answers);
        }
    }

    fn git_dir(&self) -> PathBuf {
        self.repo.dir.join(".git").canonicalize().unwrap()
    }
}
