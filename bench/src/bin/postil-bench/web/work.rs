//! The diffs that pages are measured with: a small one, one of 300 files, and one long file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::BenchResult;
use crate::laboratory::{Bare, Laboratory};

/// What a work is made of.
pub struct WebWork {
    /// The letter by which it is known.
    pub letter: &'static str,
    /// How many files change.
    files: usize,
    /// How many lines a file has before.
    lines: usize,
    /// Of so many lines one group changes.
    every: usize,
    /// How many lines of a group are deleted and added.
    deleted: usize,
    added: usize,
}

/// Ten files; three hundred files with some 46,000 lines of diff; one file with some 9,800.
pub const WORKS: [WebWork; 3] = [
    WebWork { letter: "a", files: 10, lines: 160, every: 40, deleted: 5, added: 7 },
    WebWork { letter: "b", files: 300, lines: 330, every: 33, deleted: 3, added: 7 },
    WebWork { letter: "c", files: 1, lines: 14_000, every: 25, deleted: 7, added: 9 },
];

/// A repository with a branch that changes files.
pub struct WorkRepository {
    pub git: Bare,
    /// How many lines of each file were added and deleted, as git counts them.
    pub counts: Vec<(u64, u64, String)>,
}

impl WebWork {
    /// Makes it, with so many threads spread over its files.
    pub fn make(
        &self,
        laboratory: &Laboratory,
        postil: &Path,
        threads: usize,
    ) -> BenchResult<WorkRepository> {
        let git = laboratory.folder(&format!("work-{}-{threads}", self.letter));
        git.git(&["init", "-q", "--initial-branch=main", "."])?;
        for file in 0..self.files {
            let path = git.dir.join(name(file));
            fs::create_dir_all(path.parent().ok_or("a file is in a folder")?)?;
            fs::write(path, self.before(file))?;
        }
        git.git(&["add", "--all"])?;
        git.git(&["commit", "-q", "-m", "before"])?;
        git.git(&["checkout", "-q", "-b", "topic"])?;
        for file in 0..self.files {
            fs::write(git.dir.join(name(file)), self.after(file))?;
        }
        git.git(&["commit", "-q", "-a", "-m", "after"])?;
        comment(&git, laboratory, postil, &self.places(threads))?;
        let told = git.git(&["diff", "--numstat", "main", "topic"])?;
        let counts = told.lines().filter_map(count).collect();
        Ok(WorkRepository { git, counts })
    }

    fn before(&self, file: usize) -> String {
        let mut text = String::new();
        for number in 0..self.lines {
            let _ = writeln!(text, "{}", line(file, number, ""));
        }
        text
    }

    fn after(&self, file: usize) -> String {
        let mut text = String::new();
        for number in 0..self.lines {
            let at = number % self.every;
            let is_changed = number >= 5 && at < self.deleted;
            if !is_changed {
                let _ = writeln!(text, "{}", line(file, number, ""));
            }
            if number >= 5 && at == 0 {
                for more in 0..self.added {
                    let _ = writeln!(text, "{}", line(file, number + more, "changed_"));
                }
            }
        }
        text
    }

    /// Lines of the new side, file after file.
    fn places(&self, threads: usize) -> Vec<(String, usize)> {
        let place = |count: usize| {
            let file = count * 7 % self.files;
            (name(file), 6 + (count * 131) % (self.lines - 20))
        };
        (0..threads).map(place).collect()
    }
}

/// A path as projects have them.
fn name(file: usize) -> String {
    format!("src/part{}/module{}/file_{file}.rs", file % 10, file % 37)
}

/// A line as programs have them: words, calls, strings, numbers and comments.
fn line(file: usize, number: usize, word: &str) -> String {
    match number % 7 {
        0 => format!("    /// Returns the {word}value of field {number} in part {file}."),
        1 => format!("    pub fn {word}field_{number}(&self, index: usize) -> Option<Value> {{"),
        2 => format!("        let {word}found = self.table.get(index + {number})?;"),
        3 => format!("        if {word}found.name() == \"field {number}\" && index < {file} {{"),
        4 => format!("            return Some({word}found.clone());"),
        5 => "        }".to_owned() + if word.is_empty() { "" } else { " // changed" },
        _ => format!("        self.{word}missing(index, \"part {file}\")"),
    }
}

fn count(line: &str) -> Option<(u64, u64, String)> {
    let mut parts = line.split('\t');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.to_owned()))
}

/// Puts threads at lines, all at once.
fn comment(
    git: &Bare,
    laboratory: &Laboratory,
    postil: &Path,
    places: &[(String, usize)],
) -> BenchResult<()> {
    if places.is_empty() {
        return Ok(());
    }
    let diagnostics: Vec<_> = places
        .iter()
        .enumerate()
        .map(|(count, (path, line))| {
            json!({
                "message": format!("Thread {count}: is this **right**? See `field_{line}`."),
                "severity": "WARNING",
                "location": { "path": path, "range": { "start": { "line": line }, "end": { "line": line } } },
            })
        })
        .collect();
    let file = laboratory.place().join("threads.json");
    fs::write(&file, json!({ "source": { "name": "bench" }, "diagnostics": diagnostics }).to_string())?;
    let mut command = Command::new(postil);
    command.args(["import", "--format", "rdjson"]).arg(&file).current_dir(&git.dir);
    let told = laboratory.seal(&mut command).output()?;
    if !told.status.success() {
        return Err(format!("could not comment: {}", String::from_utf8_lossy(&told.stderr)).into());
    }
    Ok(())
}
