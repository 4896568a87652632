//! How often patches and suggestions land right, on histories of any repositories.
//!
//! Nothing is drawn by chance: the same repositories give the same figures on every machine.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

mod history;
mod merges;
mod patches;
mod tally;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: suggestion-accuracy patches REPOSITORY…
       suggestion-accuracy merges REPOSITORY…

patches: changes of the history, each applied to its file as it was some changes earlier, with the header of its hunks
         as it is and put wrong, by postil, `git apply` and GNU patch
merges:  merges of the history, of which one side is taken for a suggestion and the other for what the user did";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((word, repositories)) if !repositories.is_empty() => {
            let repositories: Vec<&Path> = repositories.iter().map(Path::new).collect();
            match word.as_str() {
                "patches" => patches::run(&repositories),
                "merges" => merges::run(&repositories),
                _ => Err(USAGE.into()),
            }
        }
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
