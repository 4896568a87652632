//! Where a comment was at each commit, and why it moved.

use postil_core::anchoring::{Head, LocateOptions};
use postil_core::git::{CommitId, history};
use postil_core::record::{Anchor, CommentAnchor, PositionEntry, Timestamp};
use postil_core::review::Thread;
use postil_protocol::{
    Detail, Fault, HeadName, Log, LogReply, LogStep, Mark, Person, PlaceState, PositionView,
};

use crate::convert::fault::OrFault as _;
use crate::files::HeadFiles;
use crate::notes::comment_commits::{CommentCommit, Course, commits_of, is_alive};
use crate::notes::kept_purged::perhaps_purged;
use crate::positions::claims::Claims;
use crate::positions::in_head::positions_of;
use crate::positions::positions_at::{Bases, Grounds, ThreadToLocate, entry, locate_all, where_it_was_put};
use crate::request::Request;
use crate::view::current_thread::thread_view;
use crate::view::message_log::message_log;
use crate::view::timeline::timeline;
use crate::view::{self, person};

/// More commits than this are not looked at.
pub(crate) const MAX_COMMITS: usize = 500;

/// Reports where a comment was at each commit between its own and the one that is checked out, and at those that were
/// rewritten since.
///
/// Of consecutive commits with the same position, only the first is listed. Lines that were not committed
/// when they were commented on come first, and then the commit that added them.
pub fn log(request: &Request, log: &Log) -> Result<LogReply, Fault> {
    let named = request.notes.thread_named(&log.of);
    let thread = named.map_err(|fault| perhaps_purged(request, &log.of, fault))?;
    if let Some(on) = thread.message() {
        let mut steps = message_log(request, thread, on)?;
        steps.reverse();
        return Ok(LogReply {
            thread: thread_view(request, thread, Detail::Full)?,
            timeline: timeline(request, thread, request.head),
            steps,
            truncated: false,
            mark: Mark::default(),
            warnings: Vec::new(),
        });
    }
    let places = places(thread);
    let earlier = before_it_was_moved(request, thread, &places)?;
    let mut steps: Vec<LogStep> = Vec::new();
    let mut truncated = false;
    let asked = ThreadToLocate::of(thread, &Bases::default());
    let now = uncommitted(request, thread)?;
    let put_at = places.last().map_or(0, |place| place.at);
    let was_uncommitted = asked.is_some_and(|asked| asked.anchor.commit.is_none());
    if let Some(asked) = asked.filter(|_| was_uncommitted) {
        let entry = where_it_was_put(asked.id, asked.anchor);
        steps.push(on_disk(asked.anchor, &entry, "not committed at that time", put_at));
    }
    if let (Some(head), Some(asked)) = (request.head, asked) {
        let is_still_uncommitted = was_uncommitted && now.as_ref().is_some_and(is_found);
        let way = commits_of(request, &asked, head, put_at)?;
        let spared = way.stations.len().saturating_sub(MAX_COMMITS);
        truncated = spared > 0;
        // The work of others that a branch was rebased onto says nothing about what the branch has yet to bring.
        let mut is_yet_to_come = way.is_broken;
        for station in &way.stations[spared..] {
            let mut step = log_step(request, thread, &asked, *station)?;
            if station.course == Course::Current {
                let is_last = station.commit == head && !is_still_uncommitted;
                is_yet_to_come &= !is_found(&step) && !is_last;
                if is_yet_to_come {
                    continue;
                }
            }
            let is_told = |last: &LogStep| {
                last.commit.is_some()
                    && is_same(&last.position, &step.position)
                    && (station.course == Course::Former || !last.rewritten)
            };
            if !steps.last().is_some_and(is_told) {
                step.rewritten = station.course == Course::Former && !is_alive(request, station.commit)?;
                steps.push(step);
            }
        }
    }
    if let Some(now) = now
        && steps.last().is_some_and(|last: &LogStep| !is_same(&last.position, &now.position))
    {
        steps.push(now);
    }
    if let (Some(by), Some(first)) = (places.last().and_then(|place| place.by.clone()), steps.first_mut()) {
        first.by = Some(by);
    }
    steps.splice(0..0, earlier);
    steps.reverse();
    Ok(LogReply {
        thread: thread_view(request, thread, Detail::Full)?,
        timeline: timeline(request, thread, request.head),
        steps,
        truncated,
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}

/// Where it was before each move by hand.
fn before_it_was_moved(
    request: &Request,
    thread: Thread<'_>,
    places: &[Put<'_>],
) -> Result<Vec<LogStep>, Fault> {
    let mut steps: Vec<LogStep> = Vec::new();
    for pair in places.windows(2) {
        let (place, next) = (&pair[0], &pair[1]);
        let asked = ThreadToLocate::before(thread, place.anchor);
        let begin = steps.len();
        if place.anchor.commit.is_none() {
            let entry = where_it_was_put(asked.id, asked.anchor);
            steps.push(on_disk(asked.anchor, &entry, "not committed at that time", place.at));
        }
        let handle = request.work_tree.repository().handle();
        let is_here = |commit: &CommitId| history::commit(&handle, *commit).is_ok();
        if let Some(until) = next.anchor.commit.filter(is_here).or(request.head) {
            let stations = commits_of(request, &asked, until, place.at)?.stations;
            let current = stations.into_iter().filter(|station| station.course == Course::Current);
            let current: Vec<CommentCommit> = current.collect();
            for station in &current[current.len().saturating_sub(MAX_COMMITS)..] {
                let step = log_step(request, thread, &asked, *station)?;
                let is_told = steps[begin..].last().is_some_and(|last: &LogStep| {
                    last.commit.is_some() && is_same(&last.position, &step.position)
                });
                if !is_told && step.time <= next.at {
                    steps.push(step);
                }
            }
        }
        for step in &mut steps[begin..] {
            step.anchor = Some(view::anchor(place.anchor, Detail::Brief));
        }
        if let (Some(by), Some(first)) = (place.by.clone(), steps.get_mut(begin)) {
            first.by = Some(by);
        }
    }
    Ok(steps)
}

fn log_step(
    request: &Request,
    thread: Thread<'_>,
    asked: &ThreadToLocate<'_>,
    station: CommentCommit,
) -> Result<LogStep, Fault> {
    let handle = request.work_tree.repository().handle();
    let commit = station.commit;
    let step = |subject: String, time, entry: &PositionEntry| LogStep {
        commit: Some(view::hex(commit)),
        subject,
        time,
        position: view::position(asked.anchor, entry),
        by: None,
        anchor: None,
        message: None,
        rewritten: false,
    };
    let info = match history::commit(&handle, commit) {
        Ok(info) => info,
        // What was rewritten may have been collected since; where the comment was put on it is known all the same.
        Err(_) if station.course == Course::Former => {
            let said = thread.root_comment().map_or(0, |root| root.said().at.0 / 1000);
            let time = i64::try_from(said).unwrap_or_default();
            return Ok(step(String::new(), time, &where_it_was_put(asked.id, asked.anchor)));
        }
        Err(error) => return Err(error).or_fault(),
    };
    let head = Head { tree: info.tree, commit: Some(commit) };
    let maps = Some(request.repository.maps.clone());
    let means = LocateOptions {
        threads: request.repository.options.threads,
        maps,
        stop: request.stop.clone(),
        partial: None,
    };
    let found = locate_all(&handle, &request.repository.written, &[*asked], head, &means)?;
    let basis = Grounds::new(&handle).basis(asked.anchor);
    let computed = entry(asked, found.first().expect("one was asked for"), basis);
    // A list at that commit shows the same.
    let entry = Claims::about(&handle, &request.notes, commit, info.tree).or_computed(asked, computed);
    let subject = handle
        .find_commit(commit.raw())
        .ok()
        .and_then(|commit| commit.message().ok().map(|message| message.summary().to_string()));
    Ok(step(subject.unwrap_or_default(), info.time, &entry))
}

/// Where it is in the files on disk, where those differ from the commit.
fn uncommitted(request: &Request, thread: Thread<'_>) -> Result<Option<LogStep>, Fault> {
    let wait = postil_protocol::Freshness::Wait;
    let files = HeadFiles::of(request, &HeadName::WorkTree)?;
    let looked = positions_of(request, &files, wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id()).filter(|_| looked.head.uncommitted);
    Ok(thread.anchor().zip(entry).map(|(anchor, entry)| on_disk(anchor, entry, "not committed yet", 0)))
}

/// Where a comment was put, when, and by whom if not by its author.
struct Put<'a> {
    anchor: &'a Anchor,
    /// In seconds since 1970.
    at: i64,
    by: Option<Person>,
}

/// All places that a comment was put on, the one that counts last.
fn places(thread: Thread<'_>) -> Vec<Put<'_>> {
    let seconds = |at: Timestamp| i64::try_from(at.0 / 1000).unwrap_or_default();
    let Some(root) = thread.root_comment() else { return Vec::new() };
    let first = root.said().anchor.as_ref().and_then(CommentAnchor::file);
    let first = first.map(|anchor| Put { anchor, at: seconds(root.said().at), by: None });
    let counts = root.moves().in_force();
    let moves = root.moves().changes().iter();
    let others = moves.filter(|moved| counts.is_none_or(|counts| counts.id != moved.id));
    let moved = others.chain(counts).filter_map(|moved| {
        let by = Some(person(&moved.said.author, moved.said.via.as_deref()));
        Some(Put { anchor: moved.said.anchor.file()?, at: seconds(moved.said.at), by })
    });
    first.into_iter().chain(moved).collect()
}

fn on_disk(anchor: &Anchor, entry: &PositionEntry, subject: &str, time: i64) -> LogStep {
    let position = view::position(anchor, entry);
    LogStep {
        commit: None,
        subject: subject.into(),
        time,
        position,
        by: None,
        anchor: None,
        message: None,
        rewritten: false,
    }
}

fn is_found(step: &LogStep) -> bool {
    matches!(step.position.state, PlaceState::Anchored | PlaceState::Shifted)
}

fn is_same(one: &PositionView, other: &PositionView) -> bool {
    (one.state, &one.path, one.range, one.side) == (other.state, &other.path, other.range, other.side)
}
