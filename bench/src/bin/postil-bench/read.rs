//! Reading a whole store, by a process that begins with nothing, against stock git printing the same notes.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use postil_core::git::{BlobId, SmallBlobs};
use postil_core::record::Record;
use postil_core::review::Threads;

use crate::BenchResult;
use crate::clock::{Samples, Timing, own_cpu, timed, timed_child};
use crate::comments::{Comments, Shape};
use crate::laboratory::{Bare, Laboratory};
use crate::store::Measurement;
use crate::table::{BenchRow, Goal, times};

const RECORDS: usize = 10_000;

/// Where git's list of the notes is put.
const LISTED: &str = "listed";

/// How far reading goes.
#[derive(Clone, Copy, Debug)]
enum Depth {
    /// Every record is found and its id proved.
    Records,
    /// What every record says is decoded too.
    Bodies,
    /// All of it is folded into threads.
    Threads,
}

const DEPTHS: [(&str, Depth); 3] =
    [("records", Depth::Records), ("bodies", Depth::Bodies), ("threads", Depth::Threads)];

/// Reads stores of the same number of records, in many notes and in few.
pub struct ReadBench {
    cases: Vec<ReadCase>,
}

struct ReadCase {
    what: String,
    notes: usize,
    repo: Bare,
    /// In a new process, for each depth.
    new_process: [Samples; DEPTHS.len()],
    /// In this process, with everything opened anew.
    in_process: Samples,
    /// Nothing but inflating the same small notes, on all cores: no reader can be faster.
    inflating: Samples,
    git: Samples,
}

impl ReadBench {
    pub fn new(laboratory: &Laboratory) -> BenchResult<Self> {
        let mut cases = Vec::new();
        for (notes, shape) in
            [(RECORDS, Shape::Short), (RECORDS, Shape::Full), (100, Shape::Short), (100, Shape::Full)]
        {
            let mut comments = Comments::new(11 + notes as u64)?;
            let (repo, commits) = laboratory.repository(&format!("read-{notes}-{shape:?}"), notes)?;
            let each = commits.repeat(RECORDS / notes);
            let records = comments.on_each(&each, shape)?;
            let bytes = records.iter().map(|(_, record)| record.as_bytes().len()).sum::<usize>() / RECORDS;
            repo.fill(records)?;
            let what = format!("10,000 records of {bytes} bytes in {notes} notes");
            cases.push(ReadCase {
                what,
                notes,
                repo,
                new_process: Default::default(),
                in_process: Samples::default(),
                inflating: Samples::default(),
                git: Samples::default(),
            });
        }
        Ok(Self { cases })
    }
}

impl Measurement for ReadBench {
    fn round(&mut self) -> BenchResult<()> {
        let program = std::env::current_exe()?;
        for case in &mut self.cases {
            for ((name, _), samples) in DEPTHS.iter().zip(&mut case.new_process) {
                let mut child = Command::new(&program);
                let told = case.repo.dir.join("told");
                child.arg("read-once").arg(&case.repo.dir).arg(name).stdout(File::create(&told)?);
                let Timing { wall, .. } = timed_child(&mut child)?;
                // It has several threads, so it tells itself what it used.
                let cpu = Duration::from_nanos(fs::read_to_string(&told)?.trim().parse()?);
                samples.push(Timing { wall, cpu });
            }
            let (count, timing) = timed(|| read(&case.repo, Depth::Records))?;
            if count != RECORDS {
                return Err(format!("{count} records were read").into());
            }
            case.in_process.push(timing);
            case.git.push(by_git(&case.repo)?);
            if case.notes == RECORDS {
                case.inflating.push(inflate_alone(&case.repo)?);
            }
        }
        Ok(())
    }

    fn lines(&self, r: Timing) -> Vec<BenchRow> {
        let mut lines = Vec::new();
        for case in &self.cases {
            let git = case.git.median();
            lines.push(BenchRow::time(format!("git notes list, git cat-file --batch: {}", case.what), git));
            let many = case.notes == RECORDS;
            for ((name, depth), samples) in DEPTHS.iter().zip(&case.new_process) {
                let ours = samples.median();
                let what = format!("  {name}, in a new process");
                let line = if many {
                    BenchRow::ratio(what, ours, times(git, ours), "x faster")
                } else {
                    BenchRow::ratio(what, ours, times(ours, r), "R")
                };
                let target = if many { Goal::AtLeast(4.0) } else { Goal::AtMost(10.0) };
                lines.push(if matches!(depth, Depth::Records) { line.aim(target) } else { line });
            }
            let here = case.in_process.median();
            let what = "  records, in this process, everything opened anew";
            lines.push(if many {
                BenchRow::ratio(what, here, times(git, here), "x faster")
            } else {
                BenchRow::ratio(what, here, times(here, r), "R")
            });
            if many {
                let limit = case.inflating.median();
                let what = "  inflating alone, on all cores";
                lines.push(BenchRow::ratio(what, limit, times(git, limit), "x faster"));
            }
        }
        lines
    }
}

/// Reads the store at `dir` once, for a measurement of this process as a whole.
pub fn once(dir: &str, depth: &str) -> BenchResult<()> {
    let depth = DEPTHS.iter().find(|(name, _)| *name == depth).ok_or("no such depth")?.1;
    let count = read(&Bare::at(Path::new(dir)), depth)?;
    if count != RECORDS {
        return Err(format!("{count} records were read").into());
    }
    println!("{}", own_cpu().as_nanos());
    Ok(())
}

fn read(repo: &Bare, depth: Depth) -> BenchResult<usize> {
    let snapshot = repo.open()?.read()?;
    if !snapshot.damage().is_none() {
        return Err("the store that was just written is damaged".into());
    }
    Ok(match depth {
        Depth::Records => snapshot.records().count(),
        Depth::Bodies => snapshot.records().flat_map(|(_, record)| Record::body(record)).count(),
        Depth::Threads => Threads::fold(snapshot.records()).iter().len(),
    })
}

/// Inflates the notes that git has listed, and does nothing with them.
fn inflate_alone(repo: &Bare) -> BenchResult<Timing> {
    let list = fs::read_to_string(repo.dir.join(LISTED))?;
    let blobs =
        list.lines().map(|line| BlobId::from_hex(line.split(' ').next().unwrap_or_default().as_bytes()));
    let blobs: Vec<BlobId> = blobs.collect::<Option<_>>().ok_or("git lists something else")?;
    let threads = thread::available_parallelism()?.get();
    let handle = repo.open()?.repository().handle();
    let (count, timing) = timed(|| {
        let packs = SmallBlobs::open(&handle);
        let inflate = &|some: &[BlobId]| some.iter().filter(|blob| packs.read(**blob).is_some()).count();
        Ok(thread::scope(|scope| {
            let runs: Vec<_> = blobs
                .chunks(blobs.len().div_ceil(threads))
                .map(|some| scope.spawn(move || inflate(some)))
                .collect();
            runs.into_iter().map(|run| run.join().unwrap_or(0)).sum::<usize>()
        }))
    })?;
    if count != blobs.len() {
        return Err(format!("only {count} of {} notes stand whole in a pack", blobs.len()).into());
    }
    Ok(timing)
}

/// Lets git list the notes and print them all; making one's output the other's input is not counted.
fn by_git(repo: &Bare) -> BenchResult<Timing> {
    let (listed, wanted) = (repo.dir.join(LISTED), repo.dir.join("wanted"));
    let listing =
        timed_child(repo.command(&["notes", "--ref=reviews", "list"]).stdout(File::create(&listed)?))?;
    let list = fs::read_to_string(&listed)?;
    let blobs: String =
        list.lines().filter_map(|line| line.split(' ').next()).flat_map(|id| [id, "\n"]).collect();
    fs::write(&wanted, blobs)?;
    let printing = timed_child(repo.command(&["cat-file", "--batch"]).stdin(File::open(&wanted)?))?;
    Ok(listing + printing)
}
