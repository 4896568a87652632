//! Tells random histories in which every line has an identity, and counts where the engine puts the lines.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Head, Pointed, Position, anchor_at, locate};
use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::record::{Anchor, LineSpan, Range};

use crate::inline::write;
use crate::stored::Failure;
use crate::story::{Story, Tally, Verb};

/// How many commits a history has.
const COMMITS: usize = 12;

/// Tells histories of all verbs, or of a single one each, until so many lines were carried over so many commits.
pub fn run(steps: &str, verbs: &str) -> Result<(), Failure> {
    let steps: usize = steps.parse()?;
    let verb = |name: &str| Verb::ALL.into_iter().find(|verb| format!("{verb:?}").eq_ignore_ascii_case(name));
    match verbs {
        "all" => told(steps, None),
        "each" => Verb::ALL.into_iter().try_for_each(|verb| told(steps, Some(verb))),
        one => told(steps, Some(verb(one).ok_or("no such verb")?)),
    }
}

fn told(steps: usize, verb: Option<Verb>) -> Result<(), Failure> {
    if let Some(verb) = verb {
        println!("{verb:?} alone:");
    }
    let folder = tempfile::tempdir()?;
    gix::init_bare(folder.path())?;
    let repo = gix::open_opts(folder.path(), gix::open::Options::isolated())?;
    let mut tally = Tally::default();
    for seed in 1.. {
        tell(&repo.clone().with_object_memory(), seed, verb, &mut tally)?;
        if tally.all().0 * COMMITS >= steps {
            break;
        }
    }
    println!("{}", tally.told());
    let ((all, exist), others) = (tally.all(), tally.wrong + tally.false_places);
    let holds = |law: &str, holds: bool| println!("{law}: {}", if holds { "holds" } else { "MISSES" });
    holds("never anchored on another line", tally.anchored_wrong == 0);
    holds("on another line in under 0.5 % of all", others * 200 < all);
    holds("right in at least 95 %", tally.right * 100 >= exist * 95);
    Ok(())
}

fn tell(repo: &gix::Repository, seed: u64, verb: Option<Verb>, tally: &mut Tally) -> Result<(), Failure> {
    let mut story = Story::new(seed);
    let begin = story.files["a.rs"].clone();
    let text = story.texts()["a.rs"].clone();
    let first = commit(repo, &story, None)?;
    let path = RepoPath::new("a.rs").ok_or("no path")?;
    let blob = BlobId::from(repo.write_blob(text.as_bytes())?.detach());
    let mut anchors: Vec<Anchor> = Vec::new();
    for line in 1..=begin.len() as u32 {
        let range = LineSpan::from_numbers(line, line).map(Range::lines);
        let pointed = Pointed { commit: Some(first), path: &path, blob, content: text.as_bytes(), range };
        anchors.push(anchor_at(&pointed)?);
    }
    let mut head = first;
    for _ in 0..COMMITS {
        match verb {
            Some(verb) => story.change_by(verb),
            None => story.change(),
        }
        head = commit(repo, &story, Some(head))?;
    }
    let tree = repo.find_commit(head.raw())?.tree_id()?.detach().into();
    let positions = locate(repo, &anchors, Head { tree, commit: Some(head) }, NonZeroUsize::MIN);
    for (line, position) in begin.iter().zip(positions) {
        let position = position?;
        let place =
            position.site().and_then(|site| Some((site.path.to_string(), site.range?.span().first())));
        let place = place.as_ref().map(|(path, line)| (path.as_str(), *line));
        tally.count(&story, line.identity, place, matches!(position, Position::Anchored { .. }));
    }
    Ok(())
}

fn commit(repo: &gix::Repository, story: &Story, parent: Option<CommitId>) -> Result<CommitId, Failure> {
    let who = gix::actor::SignatureRef { name: "a".into(), email: "a@example.org".into(), time: "1 +0000" };
    let texts = story.texts();
    let tree = write(repo, &texts.iter().map(|(path, text)| (*path, text.as_str())).collect())?;
    let parents: Vec<_> = parent.iter().map(|parent| parent.raw()).collect();
    Ok(repo.new_commit_as(who, who, "c", tree.raw(), parents)?.id.into())
}
