//! Measures the anchoring engine: many comments, far jumps through history, and the worst inputs.
//!
//! Figures are ratios to git doing the same work in the same minutes, or times of one anchor on one
//! core; each subject has its own file.

mod batch;
#[path = "../postil-bench/clock.rs"]
mod clock;
mod jump;
mod mapping;
mod rebased;
mod source;
mod stage;
#[path = "../postil-bench/table.rs"]
#[allow(dead_code, reason = "this program has no figure that is to be large")]
mod table;
mod worst;

use std::process::ExitCode;

use clock::BenchResult;

const USAGE: &str = "usage: anchoring-speed [SUBJECT]...
subjects: batch jump mapping rebased worst; without one, all of them
       anchoring-speed jump REPOSITORY FROM TO
       anchoring-speed worst PART-OF-A-NAME";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["jump", repository, from, to] => {
            jump::between(repository.as_ref(), from, to).map(|lines| table::print(&lines))
        }
        ["worst", name] => worst::measure(name).map(|lines| table::print(&lines)),
        [] => measure(&["batch", "jump", "mapping", "rebased", "worst"]),
        subjects => measure(subjects),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(subjects: &[&str]) -> BenchResult<()> {
    for subject in subjects {
        table::print(&match *subject {
            "batch" => batch::measure()?,
            "jump" => jump::measure()?,
            "mapping" => mapping::measure()?,
            "rebased" => rebased::measure()?,
            "worst" => worst::measure("")?,
            _ => return Err(USAGE.into()),
        });
    }
    Ok(())
}
