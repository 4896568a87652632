//! Tells random histories in which every line has an identity, and counts where the engine puts the lines.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use postil_core::anchoring::{Pointed, Position, anchor_at, locate};
use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::record::{Anchor, LineSpan, Range};
use postil_testkit::histories::rewriting::{Rewriting, rewrite};
use postil_testkit::histories::story::{Known, Story, Tally, Verb, texts};

use crate::inline::write;
use crate::stored::{LabError, head};

/// How many commits a history has.
const COMMITS: usize = 12;

/// How many of them come on top of one that was rewritten.
const COMMITS_AFTERWARDS: usize = 4;

/// What a history is made of.
#[derive(Clone, Copy)]
enum Plot {
    /// Commits of all verbs.
    All,
    /// Commits of one verb.
    One(Verb),
    /// A rewriting of any kind, drawn by the seed, and commits of all verbs.
    AnyRewritten,
    /// One rewriting, and commits of all verbs.
    Rewritten(Rewriting),
}

/// Tells histories of all verbs, rewritten ones, or those of a single verb each, until so many lines were carried over
/// so many commits.
pub fn run(steps: &str, verbs: &str) -> Result<(), LabError> {
    let steps: usize = steps.parse()?;
    let single = || {
        let verbs = Verb::ALL.into_iter().map(|verb| (format!("{verb:?}"), Plot::One(verb)));
        let rewritings = Rewriting::ALL
            .into_iter()
            .map(|rewriting| (format!("{rewriting:?}"), Plot::Rewritten(rewriting)));
        verbs.chain(rewritings)
    };
    match verbs {
        "all" => run_stories(steps, Plot::All),
        "rewritten" => run_stories(steps, Plot::AnyRewritten),
        "each" => single().try_for_each(|(name, plot)| {
            println!("{name} alone:");
            run_stories(steps, plot)
        }),
        one => {
            let plot = single().find(|(name, _)| name.eq_ignore_ascii_case(one)).ok_or("no such verb")?.1;
            run_stories(steps, plot)
        }
    }
}

fn run_stories(steps: usize, plot: Plot) -> Result<(), LabError> {
    let folder = tempfile::tempdir()?;
    gix::init_bare(folder.path())?;
    let repo = gix::open_opts(folder.path(), gix::open::Options::isolated())?;
    let (mut tally, mut written) = (Tally::default(), Tally::default());
    for seed in 1.. {
        let repo = repo.clone().with_object_memory();
        match plot {
            Plot::All => run_history(&repo, seed, None, &mut tally)?,
            Plot::One(verb) => run_history(&repo, seed, Some(verb), &mut tally)?,
            Plot::AnyRewritten => {
                let rewriting = Rewriting::ALL[(seed % Rewriting::ALL.len() as u64) as usize];
                run_rewritten(&repo, seed, rewriting, [&mut tally, &mut written])?;
            }
            Plot::Rewritten(rewriting) => run_rewritten(&repo, seed, rewriting, [&mut tally, &mut written])?,
        }
        if tally.all().0 * COMMITS >= steps {
            break;
        }
    }
    println!("{}", tally.told());
    if written.all().0 > 0 {
        println!("of them by the branch, {}", written.told());
    }
    let ((all, exist), others) = (tally.all(), tally.wrong + tally.false_places);
    let holds = |law: &str, holds: bool| println!("{law}: {}", if holds { "holds" } else { "MISSES" });
    holds("never anchored on another line", tally.anchored_wrong == 0);
    holds("on another line in under 0.5 % of all", others * 200 < all);
    holds("right in at least 95 %", tally.right * 100 >= exist * 95);
    Ok(())
}

fn run_history(
    repo: &gix::Repository,
    seed: u64,
    verb: Option<Verb>,
    tally: &mut Tally,
) -> Result<(), LabError> {
    let mut story = Story::new(seed);
    let begin = story.files.clone();
    let first = commit(repo, "c", &begin, None)?;
    let mut head = first;
    for _ in 0..COMMITS {
        match verb {
            Some(verb) => story.change_by(verb),
            None => story.change(),
        }
        head = commit(repo, "c", &story.files, Some(head))?;
    }
    for (line, position) in located(repo, &begin, (first, head))? {
        count(&story, seed, &line, &position, &mut [&mut *tally]);
    }
    Ok(())
}

/// Comments on all lines of the last commit of a branch, rewrites the branch, and goes on changing it.
fn run_rewritten(
    repo: &gix::Repository,
    seed: u64,
    rewriting: Rewriting,
    [all, written]: [&mut Tally; 2],
) -> Result<(), LabError> {
    let mut story = Story::new(seed);
    let told = rewrite(&mut story, rewriting, COMMITS_AFTERWARDS);
    let mut old = vec![commit(repo, "c", &told.root, None)?];
    for files in &told.old {
        old.push(commit(repo, "c", files, old.last().copied())?);
    }
    let (Some(&commented), Some(begin)) = (old.last(), told.old.last()) else { return Ok(()) };
    let unchanged = told.unchanged();
    let mut head = old[unchanged];
    for files in &told.new[unchanged..] {
        head = commit(repo, "rewritten", files, Some(head))?;
    }
    for (line, position) in located(repo, begin, (commented, head))? {
        let tallies =
            if told.is_written(&line) { &mut [&mut *all, &mut *written][..] } else { &mut [&mut *all] };
        count(&story, seed, &line, &position, tallies);
    }
    Ok(())
}

/// Comments on all lines of a commit, and locates them in another.
fn located(
    repo: &gix::Repository,
    begin: &BTreeMap<String, Vec<Known>>,
    (commented, to): (CommitId, CommitId),
) -> Result<Vec<(Known, Position)>, LabError> {
    let (lines, text) = (&begin["a.rs"], &texts(begin)["a.rs"]);
    let path = RepoPath::new("a.rs").ok_or("no path")?;
    let blob = BlobId::from(repo.write_blob(text.as_bytes())?.detach());
    let mut anchors: Vec<Anchor> = Vec::new();
    for line in 1..=lines.len() as u32 {
        let range = LineSpan::from_numbers(line, line).map(Range::lines);
        let pointed = Pointed { commit: Some(commented), path: &path, blob, content: text.as_bytes(), range };
        anchors.push(anchor_at(&pointed)?);
    }
    let positions = locate(repo, &anchors, head(repo, to)?, NonZeroUsize::MIN);
    lines.iter().cloned().zip(positions).map(|(line, position)| Ok((line, position?))).collect()
}

/// Counts a line, and tells of one that is anchored where it is not: a law that is broken, and the history to look at.
fn count(story: &Story, seed: u64, line: &Known, position: &Position, tallies: &mut [&mut Tally]) {
    // What stands in the place of a line does not claim to be that line.
    let claimed = position.site().filter(|_| position.reason() != "replaced");
    let place = claimed.and_then(|site| Some((site.path.to_string(), site.range?.span().first())));
    let place = place.as_ref().map(|(path, line)| (path.as_str(), *line));
    let is_anchored = matches!(position, Position::Anchored { .. });
    for tally in tallies {
        tally.count(story, line.identity, place, is_anchored);
    }
    if let Some((path, at)) = place.filter(|(path, at)| is_anchored && !story.is_it(line.identity, path, *at))
    {
        eprintln!("history {seed}: {:?} is anchored at {path}:{at}", line.text);
    }
}

fn commit(
    repo: &gix::Repository,
    message: &str,
    files: &BTreeMap<String, Vec<Known>>,
    parent: Option<CommitId>,
) -> Result<CommitId, LabError> {
    let who = gix::actor::SignatureRef { name: "a".into(), email: "a@example.org".into(), time: "1 +0000" };
    let texts = texts(files);
    let tree = write(repo, &texts.iter().map(|(path, text)| (*path, text.as_str())).collect())?;
    let parents: Vec<_> = parent.iter().map(|parent| parent.raw()).collect();
    Ok(repo.new_commit_as(who, who, message, tree.raw(), parents)?.id.into())
}
