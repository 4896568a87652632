//! Counts how comments drift.

use postil_protocol::{DriftCounts, Fault, Freshness, List, Mark, Stats, StatsReply};

use crate::files::HeadFiles;
use crate::lists::listed_threads::ListChoice;
use crate::positions::drift::{ComparedThread, ThreadDrift, by_folder, count, over_time, status_times};
use crate::positions::in_head::positions_of;
use crate::request::{Request, seen_from};

/// Counts how the threads drift that a list with this scope and filter shows, whatever their status.
pub fn stats(request: &Request, stats: &Stats) -> Result<StatsReply, Fault> {
    let files = HeadFiles::of(request, &stats.head)?;
    let seen = seen_from(request, &stats.head)?;
    let list = List { scope: stats.scope, filter: stats.filter.clone(), ..List::default() };
    let choice = ListChoice::new(request, &list, &seen)?;
    let threads = choice.candidates(request.notes.threads.iter());
    let looked = positions_of(request, &files, Freshness::Wait, threads.iter().copied())?;
    let chosen = choice.in_order(threads, &looked.entries);
    let mut all = DriftCounts::default();
    let mut drifted = Vec::with_capacity(chosen.len());
    let mut compared = Vec::new();
    for one in &chosen {
        let drift = ThreadDrift::of(one.thread, one.entry.map(AsRef::as_ref));
        count(&mut all, one.thread, drift);
        drifted.push((one.thread, drift));
        let started = one.thread.root_comment().map(|root| root.said().at.0);
        if let Some(started) = started.filter(|_| one.thread.anchor().is_some()) {
            compared.push(ComparedThread { thread: one.thread, started, now: one.entry.cloned() });
        }
    }
    let (folders, other_folders) = by_folder(&drifted);
    let (periods, truncated) = over_time(request, files.commit(), compared, stats.filter.since)?;
    Ok(StatsReply {
        all,
        folders,
        other_folders,
        periods,
        truncated,
        times: status_times(chosen.iter().map(|one| one.thread), request.now.0),
        head: looked.head,
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}
