//! What a comment costs, in a small store and in a large one, and whom it keeps waiting.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{Comment, Detail, HeadName, List, MessageId, Outgoing, Person, Place, Span};
use serde::Serialize;

use super::counted::Counted;
use super::served::{Commented, Daemon, Wire};
use crate::BenchResult;
use crate::clock::Timing;
use crate::laboratory::Laboratory;
use crate::table::BenchRow;

/// What follows a comment is done by then.
const PAUSE: Duration = Duration::from_millis(300);

/// Comments one by one, comments in pairs, and a list right behind a comment.
pub fn measure(laboratory: &Laboratory, program: &Path, rounds: usize) -> BenchResult<Vec<BenchRow>> {
    let daemon = Daemon::start(laboratory, program)?;
    let mut lines = Vec::new();
    for (name, many) in [("100", 100), ("10,000", 10_000)] {
        let repo = Commented::new(laboratory, &format!("said{many}"), 50, many)?;
        let mut asking = CommentingClient { wire: daemon.wire()?, repo: &repo, said: 0 };
        asking.list()?;
        asking.comment()?;
        thread::sleep(PAUSE);
        let before = Counted::of(daemon.pid())?.ticks;
        let (mut first, mut listed, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            first.push(asking.comment()?);
            thread::sleep(PAUSE);
        }
        let ticks = Counted::of(daemon.pid())?.ticks - before;
        for _ in 0..rounds {
            asking.comment()?;
            pairs.push(asking.comment()?);
            thread::sleep(PAUSE);
        }
        for _ in 0..rounds {
            asking.comment()?;
            listed.push(asking.list()?);
            thread::sleep(PAUSE);
        }
        let each = ticks as f64 * 10.0 / rounds as f64;
        lines.extend([
            BenchRow::figure(format!("processor time of a comment where there are {name}"), each, "ms"),
            time(format!("a comment where there are {name}, median"), &mut first),
            time(format!("one right behind another where there are {name}, median"), &mut pairs),
            time(format!("a list of lines right behind one where there are {name}, median"), &mut listed),
        ]);
    }
    Ok(lines)
}

fn time(what: String, took: &mut [Duration]) -> BenchRow {
    took.sort_unstable();
    let wall = took[took.len() / 2];
    BenchRow::ratio(what, Timing { wall, cpu: Duration::ZERO }, wall.as_secs_f64() * 1e3, "ms")
}

/// Somebody who comments and lists.
struct CommentingClient<'a> {
    wire: Wire,
    repo: &'a Commented,
    said: u32,
}

impl CommentingClient<'_> {
    fn comment(&mut self) -> BenchResult<Duration> {
        self.said += 1;
        let line = 1 + self.said % 100;
        let comment = Comment {
            message: None,
            place: Some(Place { span: Some(Span::lines(line, line)), ..Place::file("file7.txt") }),
            text: format!("Remark {} of many: is this line what it should be?", self.said),
            severity: None,
            tags: Vec::new(),
            review: None,
            suggestion: None,
            draft: false,
        };
        let person = Person { name: "A U Thor".into(), email: "author@example.com".into(), via: None };
        let asked = postil_protocol::RepositoryRequest { author: Some(person), ..self.repo.about(comment)? };
        self.ask("comment", &asked)
    }

    fn list(&mut self) -> BenchResult<Duration> {
        let list = List { head: HeadName::Head, detail: Detail::Line, ..List::default() };
        let asked = self.repo.about(list)?;
        self.ask("list", &asked)
    }

    fn ask<P: Serialize>(&mut self, method: &str, params: &P) -> BenchResult<Duration> {
        let line = serde_json::to_string(&Outgoing::new(&MessageId::Number(1), method, params))? + "\n";
        let began = Instant::now();
        self.wire.ask(&line)?;
        Ok(began.elapsed())
    }
}
