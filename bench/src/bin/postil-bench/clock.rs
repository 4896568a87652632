//! Wall time, and beside it the CPU time of whoever did the work.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use rustix::time::{ClockId, clock_gettime};

/// What may go wrong in a measurement: it ends, and says why.
pub type BenchResult<T> = Result<T, Box<dyn std::error::Error>>;

/// How long something took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    pub wall: Duration,
    /// Zero where the system does not tell it of a child.
    pub cpu: Duration,
}

impl std::ops::Add for Timing {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { wall: self.wall + other.wall, cpu: self.cpu + other.cpu }
    }
}

/// Does `work` in this process, on all its threads.
pub fn timed<T>(work: impl FnOnce() -> BenchResult<T>) -> BenchResult<(T, Timing)> {
    let (began, cpu_before) = (Instant::now(), own_cpu());
    let done = work()?;
    Ok((done, Timing { wall: began.elapsed(), cpu: own_cpu().saturating_sub(cpu_before) }))
}

/// Runs a program to its end, which must be a good one.
pub fn timed_child(command: &mut Command) -> BenchResult<Timing> {
    let began = Instant::now();
    let mut child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or("a child without a process id")?;
    // What it used can be asked as long as nobody has taken notice of its end.
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
    let timing = Timing { wall: began.elapsed(), cpu: cpu_of(&child) };
    let status = child.wait()?;
    if status.success() { Ok(timing) } else { Err(format!("{command:?} ended with {status}").into()) }
}

/// What this process has used so far, on all its threads.
pub fn own_cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

/// The first number of `schedstat`: nanoseconds on a CPU, of the first thread. Those of git here have no other.
fn cpu_of(child: &Child) -> Duration {
    let told = std::fs::read_to_string(format!("/proc/{}/schedstat", child.id())).unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Timings of the same work in several rounds.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<Timing>);

impl Samples {
    pub fn push(&mut self, timing: Timing) {
        self.0.push(timing);
    }

    /// The middle of the wall times, and the middle of the CPU times.
    pub fn median(&self) -> Timing {
        Timing { wall: middle(self.0.iter().map(|t| t.wall)), cpu: middle(self.0.iter().map(|t| t.cpu)) }
    }
}

fn middle(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
