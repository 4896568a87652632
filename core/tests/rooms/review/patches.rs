//! Patches are the same here exactly if `git patch-id --stable` calls them the same.

use std::collections::BTreeMap;

use postil_core::git::CommitId;
use postil_core::review::{Branches, Following, PatchId};
use postil_testkit::{Checkout, Sandbox};

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// What git calls the patch of each of these commits.
fn as_git(repo: &Checkout<'_>, commits: &[String]) -> Vec<String> {
    let told = commits.iter().map(|commit| {
        let patch =
            repo.git(&["diff-tree", "--histogram", "-p", "--root", "--full-index", "--binary", commit]);
        let id = repo.git_with(&["patch-id", "--stable"], format!("{patch}\n").as_bytes());
        String::from_utf8(id).expect("git prints text").split(' ').next().unwrap_or_default().to_owned()
    });
    told.collect()
}

fn as_postil(repo: &Checkout<'_>, commits: &[String]) -> Vec<Option<PatchId>> {
    let handle = repo.open().handle();
    let branches = Branches::read(&repo.open()).expect("the branches can be read");
    let following = Following::new(&handle, &branches);
    let id = |commit: &String| CommitId::from_hex(commit.as_bytes()).expect("git prints ids");
    commits.iter().map(|commit| following.patch_id(id(commit)).expect("the commit is there")).collect()
}

#[test]
fn the_same_patches_are_alike_as_for_git() {
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    let lines: Vec<String> = (1..=40).map(|line| format!("line {line}")).collect();
    let mut dice = Dice(7);
    let mut commits = Vec::new();
    for variant in 0..4 {
        // The same edits on roots that differ above, below, in white space, or right beside the edits.
        repo.git(&["switch", "-q", "--orphan", &format!("variant-{variant}")]);
        let mut text = lines.clone();
        match variant {
            1 => text.insert(0, "above".into()),
            2 => text = text.iter().map(|line| line.replace(' ', "\t ")).collect(),
            3 => text[9] = "beside".into(),
            _ => {}
        }
        repo.commit_at(variant, "file", &(text.join("\n") + "\n"));
        let shift = usize::from(variant == 1);
        for edit in 0..5 {
            let at = 7 * edit + 3 + shift;
            let mut edited = text.clone();
            match edit {
                0 => edited.insert(at, "put in".into()),
                1 => drop(edited.remove(at)),
                _ => edited[at] = format!("edit {edit}"),
            }
            commits.push(repo.commit_at(10 * variant + 5, "file", &(edited.join("\n") + "\n")));
            repo.git(&["reset", "-q", "--hard", "HEAD^"]);
        }
        for file in 0..4 {
            let path = format!("dir/{}", dice.below(2));
            let content = format!("{}\n", dice.below(2));
            repo.commit_at(100 + file, &path, &content);
            if repo.git(&["status", "--porcelain"]).is_empty() {
                commits.push(repo.git(&["rev-parse", "HEAD"]));
            }
            repo.git(&["reset", "-q", "--hard", "HEAD^"]);
        }
        repo.git(&["rm", "-q", "file"]);
        repo.write("other", "x\n");
        repo.git(&["add", "-A"]);
        repo.git_at(200, &["commit", "-q", "-m", "remove"]);
        commits.push(repo.git(&["rev-parse", "HEAD"]));
    }
    let (git, postil) = (as_git(&repo, &commits), as_postil(&repo, &commits));
    let mut pairs: BTreeMap<bool, usize> = BTreeMap::new();
    for one in 0..commits.len() {
        for other in 0..one {
            let same = git[one] == git[other];
            *pairs.entry(same).or_default() += 1;
            assert_eq!(postil[one] == postil[other], same, "{} and {}", commits[one], commits[other]);
        }
    }
    assert!(pairs[&true] > 20 && pairs[&false] > 200, "{pairs:?}");
}

#[test]
fn a_commit_that_does_nothing_has_no_patch() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.git_at(1, &["commit", "-q", "--allow-empty", "-m", "nothing"]);
    let commits = [repo.git(&["rev-parse", "HEAD"]), repo.git(&["rev-parse", "HEAD^"])];
    let ids = as_postil(&repo, &commits);
    assert_eq!((ids[0], ids[1].is_some()), (None, true));
}
