//! Answers accuracy cases and scores the answers: how anybody can check the engine with own data.
//!
//! Cases come as JSON lines on standard input, answers go as JSON lines to standard output.

mod case;
mod columns;
mod each_line;
mod gerrit;
mod inline;
mod laws;
mod locate;
mod patch;
mod quote;
mod rebase;
mod score;
mod stored;

use std::process::ExitCode;

const USAGE: &str = "usage: postil-lab locate [--mirrors DIR] [--threads N] < CASES > ANSWERS
       postil-lab quote < CASES > ANSWERS
       postil-lab rebase < CASES > ANSWERS
       postil-lab patch < CASES > ANSWERS
       postil-lab score ANSWERS --cases CASES
       postil-lab laws STEPS [all|each|rewritten|VERB]
       postil-lab gerrit --mirror DIR [--limit N] [--seed S] [--threads N] [--selections]
                         [--answers FILE] [--sample N] [--sample-to DIR] > DISAGREEMENTS";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["locate", options @ ..] => locate::run(options),
        ["laws", steps] => laws::run(steps, "all"),
        ["laws", steps, verbs] => laws::run(steps, verbs),
        ["gerrit", options @ ..] => gerrit::run(options),
        ["quote"] => each_line::answer(quote::answer),
        ["rebase"] => each_line::answer(rebase::answer),
        ["patch"] => each_line::answer(patch::answer),
        ["score", answers, "--cases", cases] | ["score", "--cases", cases, answers] => {
            score::run(answers, cases)
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
