//! Walks over history, and what the tracking branches of remotes prove.

use std::collections::BTreeSet;

use postil_core::git::{BlobId, CommitId, Lineage, ReadError, blobs_published, history, published};
use postil_testkit::{Checkout, Sandbox};
use proptest::prelude::*;

fn commits(text: &str) -> BTreeSet<CommitId> {
    text.split_whitespace().map(|hex| CommitId::from_hex(hex.as_bytes()).unwrap()).collect()
}

fn rev(checkout: &Checkout<'_>, name: &str) -> CommitId {
    CommitId::from_hex(checkout.git(&["rev-parse", name]).as_bytes()).unwrap()
}

/// A commit with the given parents and time, on no branch.
fn commit_tree(checkout: &Checkout<'_>, parents: &[CommitId], time: i64) -> CommitId {
    let mut args =
        vec!["commit-tree".to_owned(), "HEAD^{tree}".to_owned(), "-m".to_owned(), format!("at {time}")];
    for parent in parents {
        args.extend(["-p".to_owned(), parent.to_string()]);
    }
    let mut command = checkout.command(&args);
    let output = command.env("GIT_COMMITTER_DATE", format!("@{time} +0000")).output().unwrap();
    assert!(output.status.success());
    CommitId::from_hex(output.stdout.trim_ascii()).unwrap()
}

#[test]
fn a_commit_tells_its_tree_parents_and_time() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let one = rev(&checkout, "HEAD");
    let merge = commit_tree(&checkout, &[one, commit_tree(&checkout, &[one], 5)], 1_234_567_890);
    let info = history::commit(&checkout.open().handle(), merge).unwrap();
    assert_eq!(info.tree.to_string(), checkout.git(&["rev-parse", "HEAD^{tree}"]));
    assert_eq!(info.parents[0], one);
    assert_eq!((info.parents.len(), info.time), (2, 1_234_567_890));
    let nothing = CommitId::from_bytes(&[1; 20]).unwrap();
    let handle = checkout.open().handle();
    assert!(matches!(history::commit(&handle, nothing), Err(ReadError::Missing { .. })));
    let tree = CommitId::from_hex(checkout.git(&["rev-parse", "HEAD^{tree}"]).as_bytes()).unwrap();
    assert!(matches!(history::commit(&handle, tree), Err(ReadError::Damaged { .. })));
}

#[test]
fn what_a_commit_leads_to_is_what_rev_list_says_also_where_clocks_were_wrong() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let mut all = vec![rev(&checkout, "HEAD")];
    for (n, time) in [100, 50, 4000, 10, 9000, 20, 30, 86_000].into_iter().enumerate() {
        let last = all.len() - 1;
        let parents =
            if n % 3 == 2 { vec![all[last], all[last - 2]] } else { vec![all[last - last.min(n % 2)]] };
        all.push(commit_tree(&checkout, &parents, 1_700_000_000 + time));
    }
    let handle = checkout.open().handle();
    let nowhere = CommitId::from_bytes(&[1; 20]).unwrap();
    for tip in &all {
        let expected = commits(&checkout.git(&["rev-list", &tip.to_string()]));
        let mut lineage = Lineage::of(&handle, *tip).unwrap();
        for wanted in &all {
            let time = history::commit(&handle, *wanted).unwrap().time;
            let has = lineage.has(&handle, *wanted, time).unwrap();
            assert_eq!(has, expected.contains(wanted), "{wanted} in the lineage of {tip}");
            let found = history::reached(&handle, *tip, &BTreeSet::from([*wanted, nowhere])).unwrap().found;
            assert_eq!(found.contains(wanted), expected.contains(wanted), "{wanted} from {tip}");
        }
        let every = history::reached(&handle, *tip, &all.iter().copied().collect()).unwrap().found;
        assert_eq!(every, expected);
    }
    assert!(history::reached(&handle, all[0], &BTreeSet::from([nowhere])).unwrap().found.is_empty());
}

#[test]
fn the_best_base_of_several_is_the_nearest() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let root = rev(&checkout, "HEAD");
    let near = commit_tree(&checkout, &[root], 1_700_000_010);
    let (head, base) =
        (commit_tree(&checkout, &[near], 1_700_000_020), commit_tree(&checkout, &[near], 1_700_000_030));
    let unrelated = commit_tree(&checkout, &[], 1_700_000_040);
    let handle = checkout.open().handle();
    let best = |others: &[CommitId]| history::merge_base_of_any(&handle, head, others).unwrap();
    assert_eq!(best(&[root, base]), Some(near));
    assert_eq!(best(&[base, root, unrelated]), Some(near));
    assert_eq!(best(&[unrelated]), None);
    assert_eq!(best(&[]), None);
}

#[test]
fn between_is_what_rev_list_says_for_any_pair() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    // A small history with merges, a criss-cross, two roots, and times that run backwards here and there.
    let root = rev(&checkout, "HEAD");
    let mut all = vec![root, commit_tree(&checkout, &[], 1_600_000_000)];
    let times = [10, 30, 20, 40, 5, 50, 45, 60, 1, 70, 70, 80];
    for (n, time) in times.into_iter().enumerate() {
        let parents = match n % 3 {
            0 => vec![all[all.len() - 1]],
            1 => vec![all[all.len() - 2]],
            _ => vec![all[all.len() - 1], all[all.len() - 2]],
        };
        all.push(commit_tree(&checkout, &parents, 1_700_000_000 + time));
    }
    let handle = checkout.open().handle();
    for tip in &all {
        let everything = history::between(&handle, None, *tip).unwrap();
        assert_eq!(
            everything.commits.iter().copied().collect::<BTreeSet<_>>(),
            commits(&checkout.git(&["rev-list", &tip.to_string()]))
        );
        for known in &all {
            let found = history::between(&handle, Some(*known), *tip).unwrap();
            let set: BTreeSet<CommitId> = found.commits.iter().copied().collect();
            assert_eq!(set.len(), found.commits.len(), "none is listed twice");
            let exact = commits(&checkout.git(&["rev-list", &tip.to_string(), &format!("^{known}")]));
            assert!(set.is_superset(&exact), "{known}..{tip} left something out");
            assert!(found.missing.is_empty());
            let ancestor =
                checkout.try_git(&["merge-base", "--is-ancestor", &known.to_string(), &tip.to_string()]);
            assert_eq!(history::is_ancestor(&handle, *known, *tip).unwrap(), ancestor.status.success());
            let base = checkout.try_git(&["merge-base", &known.to_string(), &tip.to_string()]);
            assert_eq!(history::merge_base(&handle, *known, *tip).unwrap().is_some(), base.status.success());
        }
    }
}

#[test]
fn between_is_exact_where_times_are_right() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let mut line = vec![rev(&checkout, "HEAD")];
    for n in 1..20 {
        line.push(commit_tree(&checkout, &[line[n - 1]], 1_700_000_000 + i64::try_from(n).unwrap()));
    }
    let side = commit_tree(&checkout, &[line[5]], 1_700_000_100);
    let merge = commit_tree(&checkout, &[line[19], side], 1_700_000_200);
    let handle = checkout.open().handle();
    let found = history::between(&handle, Some(line[18]), merge).unwrap();
    assert_eq!(found.commits, [merge, side, line[19]]);
    assert!(history::between(&handle, Some(merge), line[3]).unwrap().commits.is_empty());
    assert!(history::between(&handle, Some(merge), merge).unwrap().commits.is_empty());
}

#[test]
fn history_ends_where_a_clone_was_cut_off() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repo("origin");
    for n in 0..4 {
        origin.commit("file", &format!("{n}\n"));
    }
    sandbox.git(&["clone", "-q", "--depth=2", &format!("file://{}", origin.dir.display()), "shallow"]);
    let shallow = sandbox.at("shallow");
    let handle = shallow.open().handle();
    let tip = rev(&shallow, "HEAD");
    let found = history::between(&handle, None, tip).unwrap();
    assert_eq!(found.commits.len(), 2);
    assert!(found.missing.is_empty(), "a cut-off is not damage");
    let before = rev(&shallow, "HEAD~");
    assert!(history::is_ancestor(&handle, before, tip).unwrap());
    assert!(!history::is_ancestor(&handle, tip, before).unwrap());

    // Without the list of cut-offs it is damage, and still no failure.
    std::fs::remove_file(shallow.dir.join(".git/shallow")).unwrap();
    let found = history::between(&shallow.open().handle(), None, tip).unwrap();
    assert_eq!((found.commits.len(), found.missing), (2, vec![rev(&origin, "HEAD~2")]));
    let unknown = CommitId::from_bytes(&[9; 20]).unwrap();
    let found = history::between(&handle, Some(unknown), tip).unwrap();
    assert_eq!((found.commits.len(), found.missing.contains(&unknown)), (2, true));
}

#[test]
fn a_commit_is_published_when_every_remote_has_it() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    for remote in ["one", "two"] {
        sandbox.git(&["init", "-q", "--bare", "-b", "main", remote]);
        checkout.git(&["remote", "add", remote, &format!("../{remote}")]);
    }
    let first = rev(&checkout, "HEAD");
    checkout.git(&["push", "-q", "one", "main"]);
    checkout.git(&["push", "-q", "two", "main"]);
    let second = CommitId::from_hex(checkout.commit("file", "2\n").as_bytes()).unwrap();
    checkout.git(&["push", "-q", "one", "main:topic"]);
    let third = CommitId::from_hex(checkout.commit("file", "3\n").as_bytes()).unwrap();

    let repo = checkout.open();
    let ask = |remotes: &[&str]| {
        let remotes: Vec<String> = remotes.iter().map(|&name| name.to_owned()).collect();
        published(&repo, &repo.handle(), &remotes, &[first, second, third]).unwrap()
    };
    assert_eq!(ask(&["one"]), [first, second].into());
    assert_eq!(ask(&["two"]), [first].into());
    assert_eq!(ask(&["one", "two"]), [first].into());
    assert_eq!(ask(&[]), BTreeSet::new());

    let unknown = published(&repo, &repo.handle(), &["none".to_owned()], &[first]);
    assert!(matches!(unknown, Err(ReadError::Remote { name, .. }) if name == "none"));
    let nothing = CommitId::from_bytes(&[1; 20]).unwrap();
    assert!(published(&repo, &repo.handle(), &["one".to_owned()], &[nothing]).unwrap().is_empty());

    // With a commit-graph the answer is the same.
    checkout.git(&["commit-graph", "write", "--reachable"]);
    let repo = checkout.open();
    let found = published(&repo, &repo.handle(), &["one".to_owned()], &[first, second, third]).unwrap();
    assert_eq!(found, [first, second].into());
}

#[test]
fn a_blob_is_published_when_every_remote_has_or_lately_had_it() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let blob = |rev: &str| BlobId::from_hex(checkout.git(&["rev-parse", rev]).as_bytes()).unwrap();
    checkout.git(&["config", "remote.origin.url", "../none"]);
    checkout.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    let old = blob("HEAD:file");
    checkout.commit("file", "second\n");
    checkout.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let shown = blob("HEAD:file");
    checkout.commit("other", "third\n");
    let local = blob("HEAD:other");
    // A tracking ref that names a tag object must not hide the others.
    checkout.git(&["tag", "-a", "-m", "tagged", "v1"]);
    checkout.git(&["update-ref", "refs/remotes/origin/a-tag", "refs/tags/v1"]);
    let repo = checkout.open();
    let asked = [old, shown, local].into();
    let ask =
        |remotes: &[String], since| blobs_published(&repo, &repo.handle(), remotes, &asked, since).unwrap();
    let origin = ["origin".to_owned()];
    assert_eq!(ask(&origin, i64::MAX), [shown].into());
    assert_eq!(ask(&origin, 1_700_000_001), [shown].into(), "the commits are older than that");
    assert_eq!(ask(&origin, 1_700_000_000), [old, shown].into());
    assert!(ask(&[], 0).is_empty());
}

#[test]
fn only_refs_that_a_fetch_writes_prove_publication() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let tip = rev(&checkout, "HEAD");
    let ask = |fetch: &str| {
        checkout.git(&["config", "remote.origin.url", "../none"]);
        checkout.git(&["config", "--replace-all", "remote.origin.fetch", fetch]);
        let repo = checkout.open();
        !published(&repo, &repo.handle(), &["origin".to_owned()], &[tip]).unwrap().is_empty()
    };
    // The commit is on a local branch, and on a tracking branch of another remote.
    checkout.git(&["update-ref", "refs/remotes/other/main", &tip.to_string()]);
    assert!(!ask("+refs/heads/*:refs/remotes/origin/*"));
    assert!(!ask("+refs/*:refs/*"), "a mirror's refspec covers local branches too");
    assert!(!ask("refs/heads/main"));
    assert!(ask("+refs/heads/*:refs/remotes/other/*"));
    assert!(ask("+refs/heads/main:refs/remotes/other/main"));
    assert!(!ask("+refs/heads/main:refs/remotes/other/mai"));
    assert!(ask("+refs/heads/ma*:refs/remotes/other/m*n"));
    assert!(!ask("+refs/heads/*:refs/remotes/other/*x"));
    // A branch that has a later commit has this one too, packed or not.
    let later = commit_tree(&checkout, &[tip], 1_700_000_001);
    checkout.git(&["update-ref", "refs/remotes/origin/main", &later.to_string()]);
    checkout.git(&["pack-refs", "--all"]);
    assert!(ask("+refs/heads/*:refs/remotes/origin/*"));
    // One that lies about its time does not prove it.
    let early = commit_tree(&checkout, &[tip], 1);
    checkout.git(&["update-ref", "refs/remotes/origin/main", &early.to_string()]);
    assert!(!ask("+refs/heads/*:refs/remotes/origin/*"));
}

/// Commits whose parents are among those before them, each made so many seconds after the last.
fn dag(parents: &[Vec<usize>], step: i64) -> (Sandbox, gix::Repository, Vec<CommitId>) {
    let sandbox = Sandbox::in_memory();
    let handle = sandbox.init("repo", &["--bare"]).open().handle();
    let mut made: Vec<CommitId> = Vec::new();
    for (n, parents) in parents.iter().enumerate() {
        let seconds = 1_700_000_000 + step * i64::try_from(n).unwrap();
        let by = gix::actor::Signature {
            name: "A".into(),
            email: "a@b".into(),
            time: gix::date::Time::new(seconds, 0),
        };
        let commit = gix::objs::Commit {
            message: n.to_string().into(),
            tree: handle.object_hash().empty_tree(),
            author: by.clone(),
            committer: by,
            encoding: None,
            parents: parents.iter().map(|parent| made[*parent].raw()).collect(),
            extra_headers: Vec::new(),
        };
        made.push(handle.write_object(&commit).unwrap().detach().into());
    }
    (sandbox, handle, made)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ancestry_does_not_hang_on_the_times_of_commits(
        picks in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..14),
        step in -1..2_i64,
    ) {
        let parents: Vec<Vec<usize>> = picks
            .iter()
            .enumerate()
            .map(|(n, picks)| {
                let chosen: BTreeSet<usize> = picks.iter().filter(|_| n > 0).map(|pick| pick.index(n)).collect();
                chosen.into_iter().collect()
            })
            .collect();
        let (_sandbox, handle, made) = dag(&parents, step);
        let mut leads_to: Vec<BTreeSet<usize>> = Vec::new();
        for (n, parents) in parents.iter().enumerate() {
            let mut all: BTreeSet<usize> = parents.iter().flat_map(|parent| leads_to[*parent].clone()).collect();
            all.insert(n);
            leads_to.push(all);
        }
        for one in 0..made.len() {
            for two in 0..made.len() {
                let found = history::is_ancestor(&handle, made[one], made[two]).unwrap();
                prop_assert_eq!(found, leads_to[two].contains(&one), "{} before {}", one, two);
                let common = &leads_to[one] & &leads_to[two];
                let best: BTreeSet<CommitId> = common
                    .iter()
                    .filter(|base| !common.iter().any(|other| other != *base && leads_to[*other].contains(base)))
                    .map(|base| made[*base])
                    .collect();
                let found = history::merge_base(&handle, made[one], made[two]).unwrap();
                prop_assert_eq!(found.is_some(), !best.is_empty(), "{} and {}", one, two);
                prop_assert!(found.is_none_or(|base| best.contains(&base)), "{} and {}: {:?} of {:?}", one, two, found, best);
            }
        }
    }
}
