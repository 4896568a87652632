//! From the start of the server to its first answers, where there are 10,000 threads.

use std::path::Path;

use serde_json::json;

use super::server::{AgentServer, AnsweredBy};
use crate::BenchResult;
use crate::clock::{Samples, Timing, timed, timed_child};
use crate::daemon::{Commented, Daemon};
use crate::laboratory::Laboratory;
use crate::table::{BenchRow, Goal, times};

/// No agent waits longer for its tools.
const MOST_MS: f64 = 30.0;

/// Starts it again and again, with what a daemon keeps and with what is on disk.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "starting", 50, 10_000)?;
    let _daemon = Daemon::start(laboratory, program)?;
    let (mut unit, mut hello) = (Samples::default(), Samples::default());
    let mut page = [Samples::default(), Samples::default()];
    let start = |by: AnsweredBy| AgentServer::start(laboratory, program, &repo, by);
    let ask = |by: AnsweredBy| -> BenchResult<AgentServer> {
        let mut server = start(by)?;
        server.call("threads", &json!({ "limit": 20 }))?;
        Ok(server)
    };
    for by in [AnsweredBy::Daemon, AnsweredBy::Itself] {
        ask(by)?.end()?;
    }
    for _ in 0..rounds {
        unit.push(timed_child(&mut repo.git_command(&["rev-parse", "HEAD"]))?);
        let (server, timing) = timed(|| start(AnsweredBy::Daemon))?;
        server.end()?;
        hello.push(timing);
        for (by, samples) in [AnsweredBy::Daemon, AnsweredBy::Itself].into_iter().zip(&mut page) {
            let (server, timing) = timed(|| ask(by))?;
            server.end()?;
            samples.push(timing);
        }
    }
    let unit = unit.median();
    let line = |what: &str, timing: Timing| {
        let what = format!("{what}: {:.1} R", times(timing, unit));
        BenchRow::ratio(what, timing, timing.wall.as_secs_f64() * 1e3, "ms")
    };
    let [served, alone] = page.map(|samples| samples.median());
    Ok(vec![
        BenchRow::time("R: git rev-parse HEAD", unit),
        line("start of `postil mcp` to its first answer", hello.median()).aim(Goal::AtMost(MOST_MS)),
        line("start to 20 of 10,000 threads", served).aim(Goal::AtMost(MOST_MS)),
        line("the same without a daemon", alone),
    ])
}
