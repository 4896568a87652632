//! Reads cases, answers them on several threads, and writes the answers in the order of the cases.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::case::LocateCase;
use crate::stored::LabError;
use crate::{inline, stored};

/// The packs of one repository that can be open at once.
const PACK_SLOTS: u16 = 4096;

struct LocateArgs {
    mirrors: PathBuf,
    threads: usize,
}

/// Answers the cases on standard input.
pub fn run(arguments: &[&str]) -> Result<(), LabError> {
    let options = parse(arguments)?;
    let lines: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.trim().is_empty()).collect();
    let empty = tempfile::tempdir()?;
    gix::init_bare(empty.path())?;
    let answers: Vec<Mutex<Option<String>>> = lines.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let mut repositories =
                    Repositories { options: &options, empty: empty.path(), open: HashMap::new() };
                while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
                    let index = lines.iter().position(|other| std::ptr::eq(*other, line));
                    let answer = answer(&mut repositories, line);
                    if let Some(index) = index {
                        *answers[index].lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                            Some(answer);
                    }
                }
            });
        }
    });
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for answer in answers {
        let answer = answer.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        writeln!(out, "{}", answer.unwrap_or_default())?;
    }
    Ok(out.flush()?)
}

fn parse(arguments: &[&str]) -> Result<LocateArgs, LabError> {
    let mut options = LocateArgs { mirrors: PathBuf::from("."), threads: 1 };
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{name} needs a value"))?;
        match *name {
            "--mirrors" => options.mirrors = PathBuf::from(value),
            "--threads" => options.threads = value.parse::<usize>()?.max(1),
            _ => return Err(format!("{name} is no option").into()),
        }
    }
    Ok(options)
}

/// The repositories that one thread has open.
struct Repositories<'a> {
    options: &'a LocateArgs,
    empty: &'a Path,
    open: HashMap<PathBuf, gix::Repository>,
}

impl Repositories<'_> {
    fn get(&mut self, path: &Path) -> Result<&gix::Repository, LabError> {
        if !self.open.contains_key(path) {
            let slots = gix::odb::store::init::Slots::Given(PACK_SLOTS);
            let options = gix::open::Options::isolated().object_store_slots(slots);
            self.open.insert(path.to_owned(), gix::open_opts(path, options)?);
        }
        Ok(&self.open[path])
    }
}

fn answer(repositories: &mut Repositories<'_>, line: &str) -> String {
    let id = serde_json::from_str::<Value>(line).ok().and_then(|case| case.get("id").cloned());
    let id = id.unwrap_or(Value::Null);
    let answered =
        serde_json::from_str::<LocateCase>(line).map_err(LabError::from).and_then(|case| match case {
            LocateCase::Stored(case) => {
                let name = case.store.as_ref().unwrap_or(&case.repo).replace('/', "+");
                let repo = repositories.get(&repositories.options.mirrors.join(name).join("repo"))?;
                stored::answer(repo, id.clone(), &case)
            }
            LocateCase::Inline(case) => {
                let repo = repositories.get(repositories.empty)?;
                inline::answer(repo, id.clone(), &case)
            }
        });
    let written = answered.and_then(|answer| Ok(serde_json::to_string(&answer)?));
    written.unwrap_or_else(|error| json!({ "id": id, "error": error.to_string() }).to_string())
}
