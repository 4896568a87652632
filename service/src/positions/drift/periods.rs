//! What happened to threads over time: the heads at the ends of periods, compared one after the other.
//!
//! A thread takes part from the first head on at which it has a place. Before that, its lines were on another branch, or
//! not committed.

use std::sync::Arc;

use postil_core::anchoring::{Head, LocateOptions};
use postil_core::git::{CommitId, TreeId, history};
use postil_core::record::PositionEntry;
use postil_core::review::Thread;
use postil_protocol::{Fault, MAX_PERIODS, PeriodDrift};

use super::thread_drift::ThreadDrift;
use crate::convert::hex::hex;
use crate::positions::claims::Claims;
use crate::positions::positions_at::{Bases, Grounds, ThreadToLocate, entry, locate_all, where_it_was_put};
use crate::request::Request;

/// So many commits are looked at for the heads of earlier times.
const MAX_COMMITS: usize = 20_000;

/// Of more threads, the newest are compared.
const MAX_THREADS: usize = 5000;

const DAY: u64 = 24 * 3_600_000;

/// How long periods are: the shortest of these that gives few enough.
const LENGTHS: [u64; 5] = [DAY, 7 * DAY, 30 * DAY, 91 * DAY, 365 * DAY];

/// A thread, when it was started, and where it is in the head that is asked about.
#[derive(Clone)]
pub(crate) struct ComparedThread<'a> {
    pub thread: Thread<'a>,
    pub started: u64,
    pub now: Option<Arc<PositionEntry>>,
}

/// What happened in each period, oldest first, and whether that is not all.
pub(crate) fn over_time(
    request: &Request,
    head: Option<CommitId>,
    mut threads: Vec<ComparedThread<'_>>,
    since: Option<u64>,
) -> Result<(Vec<PeriodDrift>, bool), Fault> {
    threads.sort_by_key(|one| std::cmp::Reverse(one.started));
    let is_cut = threads.len() > MAX_THREADS;
    threads.truncate(MAX_THREADS);
    let Some(first) = threads.last().map(|one| one.started.max(since.unwrap_or(0))) else {
        return Ok((Vec::new(), false));
    };
    let (mut periods, is_older) = periods(first, request.now.0.max(first));
    let (heads, is_short) = heads_at(request, head, &periods);
    let mut known: Vec<Option<Sighting>> = vec![None; threads.len()];
    for (at, period) in periods.iter_mut().enumerate() {
        let is_last = at + 1 == heads.len();
        let (start, end) = (period.start, period.end);
        let there = |one: &ComparedThread<'_>| one.started < end;
        period.started = threads.iter().filter(|one| there(one) && one.started >= start).count() as u32;
        period.commit = heads[at].map(|(commit, _)| hex(commit));
        let found = if is_last {
            threads.iter().map(|one| one.now.clone()).collect()
        } else {
            match heads[at] {
                Some(head) => locate_at(request, head, &threads, there)?,
                None => vec![None; threads.len()],
            }
        };
        for ((one, entry), known) in threads.iter().zip(found).zip(&mut known) {
            if let Some(entry) = entry.filter(|_| there(one) || is_last) {
                compare(period, one, &entry, known);
            }
        }
    }
    Ok((periods, is_cut || is_older || is_short))
}

/// Where a thread was found, and what that meant.
#[derive(Clone)]
struct Sighting {
    drift: ThreadDrift,
    entry: Arc<PositionEntry>,
}

/// Counts what happened to a thread since it was last seen, or was put where it is.
fn compare(
    period: &mut PeriodDrift,
    one: &ComparedThread<'_>,
    entry: &Arc<PositionEntry>,
    known: &mut Option<Sighting>,
) {
    let drift = ThreadDrift::of(one.thread, Some(entry));
    let Some(anchor) = one.thread.anchor() else { return };
    if known.is_none() && drift == ThreadDrift::Lost {
        return;
    }
    let put =
        || Sighting { drift: ThreadDrift::InPlace, entry: where_it_was_put(one.thread.id(), anchor).into() };
    let before = known.take().unwrap_or_else(put);
    period.threads += 1;
    let is_same_place = (&before.entry.path, before.entry.range) == (&entry.path, entry.range);
    match (before.drift, drift) {
        (was, now) if was.is_found() && now.is_found() => period.moved += u32::from(!is_same_place),
        (_, now) if now.is_found() => period.recovered += 1,
        (was, ThreadDrift::Outdated) if was != ThreadDrift::Outdated => period.outdated += 1,
        (was, ThreadDrift::Lost) if was != ThreadDrift::Lost => period.lost += 1,
        _ => {}
    }
    *known = Some(Sighting { drift, entry: entry.clone() });
}

/// Periods of one length up to now, oldest first, and whether there are older ones.
fn periods(first: u64, now: u64) -> (Vec<PeriodDrift>, bool) {
    let end = (now / DAY + 1) * DAY;
    let count = |length: u64| (end - first.min(end)).div_ceil(length).max(1);
    let few = LENGTHS.into_iter().find(|length| count(*length) <= MAX_PERIODS as u64);
    let length = few.unwrap_or(LENGTHS[LENGTHS.len() - 1]);
    let count = count(length);
    let periods = (0..count.min(MAX_PERIODS as u64)).rev().map(|back| PeriodDrift {
        start: end.saturating_sub((back + 1) * length),
        end: end - (back * length).min(end),
        ..PeriodDrift::default()
    });
    (periods.collect(), count > MAX_PERIODS as u64)
}

/// The commits that were the head at the end of each period, by first parents, and whether history goes on before the
/// last that was looked at.
fn heads_at(
    request: &Request,
    head: Option<CommitId>,
    periods: &[PeriodDrift],
) -> (Vec<Option<(CommitId, TreeId)>>, bool) {
    let mut heads = vec![None; periods.len()];
    let mut next = periods.len();
    let mut at = head;
    for _ in 0..MAX_COMMITS {
        let Some(commit) = at else { return (heads, false) };
        // In a shallow clone, history ends early.
        let Ok(info) = history::commit(&request.handle, commit) else { return (heads, true) };
        let time = u64::try_from(info.time).unwrap_or(0).saturating_mul(1000);
        // The newest head counts for the last period, whatever its clock said.
        while next > 0 && (time < periods[next - 1].end || next == periods.len()) {
            heads[next - 1] = Some((commit, info.tree));
            next -= 1;
        }
        if next == 0 {
            return (heads, false);
        }
        at = info.parents.first().copied();
    }
    (heads, true)
}

/// Where the threads that were there are at a commit.
fn locate_at<'a>(
    request: &Request,
    (commit, tree): (CommitId, TreeId),
    threads: &[ComparedThread<'a>],
    there: impl Fn(&ComparedThread<'a>) -> bool,
) -> Result<Vec<Option<Arc<PositionEntry>>>, Fault> {
    let handle = &request.handle;
    let among: Vec<Thread<'a>> = threads.iter().filter(|one| there(one)).map(|one| one.thread).collect();
    let bases = Bases::find(&request.work_tree, &among, &request.branches, commit);
    let (mut places, mut asked) = (Vec::new(), Vec::new());
    for (at, one) in threads.iter().enumerate().filter(|(_, one)| there(one)) {
        if let Some(one) = ThreadToLocate::of(one.thread, &bases) {
            places.push(at);
            asked.push(one);
        }
    }
    let means = LocateOptions {
        threads: request.repository.options.threads,
        maps: Some(request.repository.maps.clone()),
        stop: request.stop.clone(),
        partial: None,
    };
    let head = Head { tree, commit: Some(commit) };
    let found = locate_all(handle, &request.repository.written, &asked, head, &means)?;
    let claims = Claims::about(handle, &request.notes, commit, tree);
    let mut grounds = Grounds::new(handle);
    let mut entries = vec![None; threads.len()];
    for ((at, asked), position) in places.into_iter().zip(&asked).zip(&found) {
        let computed = entry(asked, position, grounds.basis(asked.anchor));
        entries[at] = Some(Arc::new(claims.or_computed(asked, computed)));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_few_and_end_today() {
        let check = |days: u64, count: usize, length: u64, is_cut: bool| {
            let now = 20_000 * DAY + 5;
            let (periods, cut) = periods(now - days * DAY, now);
            assert_eq!((periods.len(), cut), (count, is_cut), "{days}");
            assert!(periods.iter().all(|period| period.end - period.start == length * DAY));
            assert_eq!(periods.last().map(|period| period.end), Some(20_001 * DAY));
            assert!(periods.windows(2).all(|pair| pair[0].end == pair[1].start));
        };
        check(0, 1, 1, false);
        check(5, 6, 1, false);
        check(11, 12, 1, false);
        check(12, 2, 7, false);
        check(100, 4, 30, false);
        check(700, 8, 91, false);
        check(4000, 11, 365, false);
        check(9000, 12, 365, true);
    }

    #[test]
    fn a_clock_before_its_time_does_no_harm() {
        let (periods, _) = periods(DAY * 40, 3);
        assert_eq!(periods.len(), 1);
    }
}
