//! Measures how fast and how small things are, against git doing the same work in the same minutes.
//!
//! Figures are ratios, so that they hold on other machines too; each subject has its own file.

mod add;
mod agents;
mod cli;
mod clock;
mod comments;
mod daemon;
mod group;
mod laboratory;
mod lsp;
mod merge;
mod options;
mod read;
mod size;
mod store;
mod sync;
mod table;
mod web;

use std::process::ExitCode;

use clock::BenchResult;

const USAGE: &str = "usage: postil-bench store [--rounds N] [--only SUBJECT]...
       postil-bench daemon [--rounds N] [--only SUBJECT]... [--idle SECONDS] [--postil PROGRAM]
       postil-bench sync [--rounds N] [--only SUBJECT]... [--postil PROGRAM]
       postil-bench cli [--rounds N] [--only SUBJECT]... [--postil PROGRAM]
       postil-bench lsp [--rounds N] [--only SUBJECT]... [--idle SECONDS] [--postil PROGRAM]
       postil-bench web [--rounds N] [--only SUBJECT]... [--postil PROGRAM]
       postil-bench agents [--rounds N] [--only SUBJECT]... [--postil PROGRAM]
subjects: add group read merge size, of the daemon moves lists comments changes races idle, of sync nothing apart transfer, of cli
commands waiting diff first dirty import, of lsp key state open rest, of web a b c moves, and of agents start wait batch";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["store", options @ ..] => store::run(options),
        ["daemon", options @ ..] => daemon::run(options),
        ["sync", options @ ..] => sync::run(options),
        ["cli", options @ ..] => cli::run(options),
        ["lsp", options @ ..] => lsp::run(options),
        ["web", options @ ..] => web::run(options),
        ["agents", options @ ..] => agents::run(options),
        // What `read` starts to measure a process that begins with nothing.
        ["read-once", dir, depth] => read::once(dir, depth),
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
