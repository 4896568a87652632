//! A list of a thousand comments over the socket, for one client and for fifty at once.
//!
//! A list that was asked for before is kept, so that each round asks for one that was not: that is what everybody
//! asks for when a head has moved.

use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{Detail, HeadName, List, MessageId, Outgoing};

use super::served::{Commented, Daemon, Wire};
use crate::BenchResult;
use crate::clock::Timing;
use crate::laboratory::Laboratory;
use crate::table::{BenchRow, Goal};

/// How many clients ask at once.
const CLIENTS: usize = 50;

const COMMENTS: u32 = 1_000;

/// Lists, alone and in company.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "lists", 50, COMMENTS as usize)?;
    let daemon = Daemon::start(laboratory, program)?;
    let mut wire = daemon.wire()?;
    let mut lines = Vec::new();
    for (what, detail) in [("lines", Detail::Line), ("comments", Detail::Brief)] {
        let mut questions = Questions { repo: &repo, detail, asked: 0 };
        let length = wire.ask(&questions.next()?)?;
        let again = questions.next()?;
        let kept = sorted(repeat(rounds, || wire.ask(&again).map(drop))?);
        let alone = sorted(repeat(rounds, || wire.ask(&questions.next()?).map(drop))?);
        let median = alone[alone.len() / 2];
        lines.extend([
            BenchRow::figure(format!("list of 1,000 comments, its {what}"), length as f64 / 1024.0, "KiB"),
            time(format!("its {what}, asked again, one client, median"), kept[kept.len() / 2]),
            time(format!("its {what}, one client, median"), median).aim(Goal::AtMost(2.0)),
        ]);
        let company = in_company(&daemon, &mut questions, rounds / 5 + 1)?;
        let p99 = company[company.len() * 99 / 100];
        let ratio = p99.as_secs_f64() / median.as_secs_f64();
        let timing = Timing { wall: p99, cpu: Duration::ZERO };
        lines.push(
            BenchRow::ratio(
                format!("its {what}, 50 clients at once, p99, by that median"),
                timing,
                ratio,
                "×",
            )
            .aim(Goal::AtMost(10.0)),
        );
    }
    Ok(lines)
}

fn time(what: String, wall: Duration) -> BenchRow {
    BenchRow::ratio(what, Timing { wall, cpu: Duration::ZERO }, wall.as_secs_f64() * 1e3, "ms")
}

/// Requests for all comments, no two of which are the same.
struct Questions<'a> {
    repo: &'a Commented,
    detail: Detail,
    asked: u32,
}

impl Questions<'_> {
    fn next(&mut self) -> BenchResult<String> {
        self.asked += 1;
        let limit = Some(COMMENTS + self.asked);
        let list = List { head: HeadName::Head, detail: self.detail, limit, ..List::default() };
        let id = MessageId::Number(1);
        Ok(serde_json::to_string(&Outgoing::new(&id, "list", &self.repo.about(list)?))? + "\n")
    }
}

fn repeat(rounds: usize, mut work: impl FnMut() -> BenchResult<()>) -> BenchResult<Vec<Duration>> {
    let mut took = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        work()?;
        took.push(began.elapsed());
    }
    Ok(took)
}

fn in_company(daemon: &Daemon, questions: &mut Questions<'_>, rounds: usize) -> BenchResult<Vec<Duration>> {
    let wires: Vec<Wire> = (0..CLIENTS).map(|_| daemon.wire()).collect::<BenchResult<_>>()?;
    let asked: Vec<String> = (0..rounds).map(|_| questions.next()).collect::<BenchResult<_>>()?;
    let together = Barrier::new(CLIENTS);
    let mut took = Vec::new();
    thread::scope(|scope| -> BenchResult<()> {
        let (asked, together) = (&asked, &together);
        let asking: Vec<_> = wires
            .into_iter()
            .map(|mut wire| {
                scope.spawn(move || {
                    let mut took = Vec::new();
                    for line in asked {
                        together.wait();
                        let began = Instant::now();
                        wire.ask(line).map_err(|error| error.to_string())?;
                        took.push(began.elapsed());
                    }
                    Ok::<_, String>(took)
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
