//! From what somebody else writes to the answer of a wait.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::server::{AgentServer, AnsweredBy, mark_of};
use crate::BenchResult;
use crate::clock::Timing;
use crate::daemon::{Commented, Daemon};
use crate::laboratory::Laboratory;
use crate::table::{BenchRow, Goal};

/// By then the agent waits.
const PAUSE: Duration = Duration::from_millis(150);

/// As soon as a person would notice.
const MOST_MS: f64 = 40.0;

/// Comments beside an agent that waits.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "waking", 50, 1_000)?;
    let _daemon = Daemon::start(laboratory, program)?;
    let mut lines = Vec::new();
    for (nth, by) in [AnsweredBy::Daemon, AnsweredBy::Itself].into_iter().enumerate() {
        let mut server = AgentServer::start(laboratory, program, &repo, by)?;
        let mut mark = mark_of(&server.call("threads", &json!({ "limit": 1 }))?)?;
        let mut after: Vec<Duration> = Vec::new();
        for round in 0..rounds {
            let asked = json!({ "since": mark, "seconds": 50 });
            let (answer, answered, written) = thread::scope(|scope| -> BenchResult<_> {
                let waits = scope.spawn(|| {
                    (server.call("wait", &asked).map_err(|error| error.to_string()), Instant::now())
                });
                thread::sleep(PAUSE);
                repo.comment_aside(nth * rounds + round)?;
                let written = Instant::now();
                let (answer, answered) = waits.join().map_err(|_| "the agent panicked")?;
                Ok((answer?, answered, written))
            })?;
            if !answer.contains("* commented ") {
                return Err(format!("woken for something else: {answer}").into());
            }
            mark = mark_of(&answer)?;
            after.push(answered.saturating_duration_since(written));
        }
        server.end()?;
        after.sort_unstable();
        let wall = after[after.len() / 2];
        let (what, aim) = match by {
            AnsweredBy::Daemon => {
                ("from a comment to the answer of a wait, median", Some(Goal::AtMost(MOST_MS)))
            }
            AnsweredBy::Itself => ("the same without a daemon", None),
        };
        let line =
            BenchRow::ratio(what, Timing { wall, cpu: Duration::ZERO }, wall.as_secs_f64() * 1e3, "ms");
        lines.push(match aim {
            Some(aim) => line.aim(aim),
            None => line,
        });
    }
    Ok(lines)
}
