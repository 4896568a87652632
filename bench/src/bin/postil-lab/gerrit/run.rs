//! Draws remarks, answers them on several threads, and prints what git and postil do not agree on.
//!
//! Disagreements go to standard output, one JSON object a line; the table goes to standard error.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use postil_core::git::CommitId;
use serde_json::json;

use super::answers::{FoundRemark, Later, RemarkQuestion, answer};
use super::draw::draw;
use super::notedb::{GerritChange, changes};
use super::options::GerritOptions;
use super::{report, sample};
use crate::stored::LabError;

/// Runs the command.
pub fn run(arguments: &[&str]) -> Result<(), LabError> {
    let options = GerritOptions::parse(arguments)?;
    let repo = gix::open_opts(&options.mirror, gix::open::Options::isolated())?;
    let questions = questions(&repo, &options)?;
    let (found, failures) = answered(&options, questions)?;
    if let Some(path) = &options.answers {
        let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
        for found in &found {
            writeln!(out, "{}", serde_json::to_string(found)?)?;
        }
        out.flush()?;
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (found, kind) in found.iter().filter_map(|found| Some((found, found.disagreement()?))) {
        let mut line = serde_json::to_value(found)?;
        line["disagreement"] = json!(kind);
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    if options.sample > 0 {
        sample::write(&repo, &options, &found)?;
    }
    eprint!("{}", report::table(&found));
    for (failure, count) in failures {
        eprintln!("not answered: {count} times: {failure}");
    }
    Ok(())
}

/// What is asked: each remark that was drawn, in the next patch set and in the last one.
fn questions(repo: &gix::Repository, options: &GerritOptions) -> Result<Vec<RemarkQuestion>, LabError> {
    let (mut drawn, mut unread, mut alone) = (Vec::new(), 0, 0);
    let changes = changes(&options.mirror)?;
    for change in &changes {
        let (remarks, skipped) = change.remarks(repo)?;
        unread += skipped;
        for remark in remarks {
            if change.patch_sets.contains_key(&remark.patch_set) && !change.later(remark.patch_set).is_empty()
            {
                drawn.push((change, remark));
            } else {
                alone += 1;
            }
        }
    }
    eprintln!(
        "{} changes, {} remarks on lines that have a later patch set, {alone} that have none, {unread} notes not read",
        changes.len(),
        drawn.len()
    );
    if let Some(limit) = options.limit {
        drawn = draw(drawn, limit, options.seed);
    }
    let asked = |(change, remark): (&GerritChange, super::notedb::Remark)| -> Vec<RemarkQuestion> {
        let later = change.later(remark.patch_set);
        let Some(old) = change.patch_sets.get(&remark.patch_set).copied() else { return Vec::new() };
        let is_only = later.len() == 1;
        let which = |index| match index {
            0 if is_only => Later::Only,
            0 => Later::Next,
            _ => Later::Last,
        };
        let question = |(index, (new_patch_set, new))| RemarkQuestion {
            change: change.number,
            remark: remark.clone(),
            old,
            new,
            new_patch_set,
            later: which(index),
        };
        later.into_iter().enumerate().map(question).collect()
    };
    Ok(drawn.into_iter().flat_map(asked).collect())
}

/// Why some were not answered, and how many of each.
type Failures = BTreeMap<String, usize>;

fn answered(
    options: &GerritOptions,
    questions: Vec<RemarkQuestion>,
) -> Result<(Vec<FoundRemark>, Failures), LabError> {
    // What goes from one commit to another is located in one batch, as `postil list` does it.
    let mut groups: BTreeMap<(u32, CommitId, CommitId), Vec<RemarkQuestion>> = BTreeMap::new();
    for question in questions {
        groups.entry((question.change, question.old, question.new)).or_default().push(question);
    }
    let groups: Vec<Vec<RemarkQuestion>> = groups.into_values().collect();
    let results: Vec<Mutex<Vec<Result<FoundRemark, LabError>>>> =
        groups.iter().map(|_| Mutex::new(Vec::new())).collect();
    let (next, name) = (AtomicUsize::new(0), options.repository());
    let shared = gix::open_opts(&options.mirror, gix::open::Options::isolated())?.into_sync();
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let repo = shared.to_thread_local();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(group), Some(result)) = (groups.get(index), results.get(index)) else { break };
                    let found = answer(&repo, &options.mirror, &name, options.span, group);
                    *result.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = found;
                }
            });
        }
    });
    let (mut found, mut failures) = (Vec::new(), Failures::new());
    for result in results {
        for result in result.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            match result {
                Ok(one) => found.push(one),
                Err(failure) => *failures.entry(failure.to_string()).or_default() += 1,
            }
        }
    }
    Ok((found, failures))
}
