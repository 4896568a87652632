//! A list of a thousand comments over the socket, for one client and for fifty at once.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use postil_core::protocol::{HeadName, List, MessageId, Outgoing};

use super::served::{Commented, Daemon};
use crate::Fallible;
use crate::clock::Timing;
use crate::laboratory::Laboratory;
use crate::table::{Line, Target};

/// How many clients ask at once.
const CLIENTS: usize = 50;

/// Lists, alone and in company.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> Fallible<Vec<Line>> {
    let repo = Commented::new(laboratory, "lists", 50, 1_000)?;
    let daemon = Daemon::start(laboratory, program)?;
    let line = request(&repo, None)?;
    let page = request(&repo, Some(100))?;
    let mut wire = daemon.wire()?;
    let length = wire.ask(&line)?;
    let alone = sorted(repeat(rounds, || wire.ask(&line).map(drop))?);
    let alone_page = sorted(repeat(rounds, || wire.ask(&page).map(drop))?);
    let company = in_company(&daemon, &line, rounds / 5 + 1)?;
    let median = alone[alone.len() / 2];
    let p99 = company[company.len() * 99 / 100];
    let time = |what: &str, wall: Duration, figure: f64, unit| {
        Line::ratio(what, Timing { wall, cpu: Duration::ZERO }, figure, unit)
    };
    let ms = |wall: Duration| wall.as_secs_f64() * 1e3;
    Ok(vec![
        Line::figure("list of 1,000 comments, its answer", length as f64 / 1024.0, "KiB"),
        time("list of 1,000 comments, one client, median", median, ms(median), "ms").aim(Target::AtMost(2.0)),
        time(
            "list of 100 of them, one client, median",
            alone_page[alone_page.len() / 2],
            ms(alone_page[alone_page.len() / 2]),
            "ms",
        ),
        time(
            "the same from 50 clients at once, p99, by that median",
            p99,
            p99.as_secs_f64() / median.as_secs_f64(),
            "×",
        )
        .aim(Target::AtMost(10.0)),
    ])
}

fn request(repo: &Commented, limit: Option<u32>) -> Fallible<String> {
    let list = List { head: HeadName::Head, limit, ..List::default() };
    let id = MessageId::Number(1);
    Ok(serde_json::to_string(&Outgoing::new(&id, "list", &repo.about(list)?))? + "\n")
}

fn repeat(rounds: usize, mut work: impl FnMut() -> Fallible<()>) -> Fallible<Vec<Duration>> {
    let mut took = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        work()?;
        took.push(began.elapsed());
    }
    Ok(took)
}

fn in_company(daemon: &Daemon, line: &str, rounds: usize) -> Fallible<Vec<Duration>> {
    let wires: Vec<_> = (0..CLIENTS).map(|_| daemon.wire()).collect::<Fallible<_>>()?;
    let mut took = Vec::new();
    thread::scope(|scope| -> Fallible<()> {
        let asking: Vec<_> = wires
            .into_iter()
            .map(|mut wire| {
                scope.spawn(move || {
                    repeat(rounds, || wire.ask(line).map(drop)).map_err(|error| error.to_string())
                })
            })
            .collect();
        for one in asking {
            took.extend(one.join().map_err(|_| "a client panicked")??);
        }
        Ok(())
    })?;
    Ok(sorted(took))
}

fn sorted(mut took: Vec<Duration>) -> Vec<Duration> {
    took.sort_unstable();
    took
}
