//! What a comment and its event cost the daemon, in a small store and in a large one.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{Client, Comment, Event, Person, Place, Span, Subscribe, Topic};

use super::counted::Counted;
use super::served::{Commented, Daemon};
use crate::BenchResult;
use crate::clock::Timing;
use crate::laboratory::Laboratory;
use crate::table::{BenchRow, Goal};

/// What follows a comment is done by then.
const PAUSE: Duration = Duration::from_millis(100);

/// Comments one by one, with somebody who listens.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let daemon = Daemon::start(laboratory, program)?;
    let mut lines = Vec::new();
    for (name, many) in [("10", 10), ("10,000", 10_000)] {
        let repo = Commented::new(laboratory, &format!("changes{many}"), 50, many)?;
        let (mut writer, mut listener) = (daemon.client()?, daemon.client()?);
        let (topic, since) = (Topic::Repository, None);
        listener.ask(&Subscribe { repository: repo.name()?, topic, work_tree: false, since, via: None })?;
        comment(&mut writer, &repo, 0)?;
        wait_for_change(&mut listener)?;
        thread::sleep(PAUSE);
        let before = Counted::of(daemon.pid())?.ticks;
        let mut after: Vec<Duration> = Vec::new();
        for round in 1..=rounds {
            let began = Instant::now();
            comment(&mut writer, &repo, round)?;
            wait_for_change(&mut listener)?;
            after.push(began.elapsed());
            thread::sleep(PAUSE);
        }
        let ticks = Counted::of(daemon.pid())?.ticks - before;
        let before = Counted::of(daemon.pid())?.ticks;
        for round in 0..rounds {
            repo.comment_aside(round)?;
            wait_for_change(&mut listener)?;
            thread::sleep(PAUSE);
        }
        let aside = (Counted::of(daemon.pid())?.ticks - before) as f64 * 10.0 / rounds as f64;
        let each = ticks as f64 * 10.0 / rounds as f64;
        after.sort_unstable();
        let wall = after[after.len() / 2];
        let what = format!("processor time of a comment and its event where there are {name}");
        lines.push(BenchRow::figure(what, each, "ms"));
        let what = format!("processor time of the event of somebody else's comment where there are {name}");
        let line = BenchRow::figure(what, aside, "ms").aim(Goal::AtMost(3.0));
        let what = format!("from a comment to its event where there are {name}, median");
        let timing = Timing { wall, cpu: Duration::ZERO };
        lines.extend([line, BenchRow::ratio(what, timing, wall.as_secs_f64() * 1e3, "ms")]);
    }
    Ok(lines)
}

fn comment(client: &mut Client, repo: &Commented, round: usize) -> BenchResult<()> {
    let line = u32::try_from(1 + round % 100)?;
    let comment = Comment {
        message: None,
        place: Some(Place { span: Some(Span::lines(line, line)), ..Place::file("file7.txt") }),
        text: format!("Remark {round} of many: is this line what it should be?"),
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion: None,
        draft: false,
    };
    let person = Person { name: "A U Thor".into(), email: "author@example.com".into(), via: None };
    client.ask(&postil_protocol::RepositoryRequest { author: Some(person), ..repo.about(comment)? })?;
    Ok(())
}

/// Waits for what somebody said.
fn wait_for_change(client: &mut Client) -> BenchResult<()> {
    loop {
        match client.next_event()?.ok_or("the daemon ended")? {
            Event::Changed(changed) if changed.threads.len() == 1 => return Ok(()),
            Event::Changed(changed) => return Err(format!("{} threads", changed.threads.len()).into()),
            _ => {}
        }
    }
}
