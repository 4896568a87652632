//! A disk that fails under a command: at one system call, or from one on.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use postil_testkit::Dice;

use crate::person::Outcome;

/// About as many calls that can fail as a comment makes.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const CALLS: u64 = 60;

/// Runs a command whose disk fails below `git_dir`; returns what came of it and how many calls failed.
///
/// None if processes cannot be traced here.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn run(mut command: Command, git_dir: &Path, tmp: &Path, dice: &mut Dice) -> Option<(Outcome, u64)> {
    use postil_testkit::tracer::{Call, End, Moment, Next, Tracee};

    /// "No space left on device", and "input/output error".
    const ERRORS: [i32; 2] = [28, 5];

    let said = tmp.join("said");
    command.stdout(File::create(&said).expect("a file can be made"));
    let Ok(tracee) = Tracee::start_any(command) else {
        postil_testkit::skipped("permission to trace a child process");
        return None;
    };
    let (mut left, error, once) = (dice.below(CALLS), *dice.pick(&ERRORS), dice.below(2) == 0);
    let is_killed = dice.below(4) == 0;
    let mut failed = 0;
    let (end, stderr) = tracee.run(|moment| match moment {
        Moment::Before(call) if call.target().is_some_and(|path| path.starts_with(git_dir)) => {
            let is_growing = !matches!(call, Call::Remove(_) | Call::Sync(_));
            if left > 0 {
                left -= 1;
                return Next::Go;
            }
            if is_killed {
                return Next::Kill;
            }
            // A full disk refuses what grows, from now on; a broken one fails once.
            if (once && failed > 0) || (!once && !is_growing) {
                return Next::Go;
            }
            failed += 1;
            Next::Fail(error)
        }
        _ => Next::Go,
    });
    let stdout = fs::read_to_string(said).unwrap_or_default();
    let code = match end {
        End::Killed => None,
        End::Exited(code) => Some(code),
    };
    Some((Outcome::read(code, &stdout, &stderr), failed))
}

/// Nobody knows the registers of this machine.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn run(_: Command, _: &Path, _: &Path, _: &mut Dice) -> Option<(Outcome, u64)> {
    postil_testkit::skipped("Linux on x86-64, whose registers the tests know");
    None
}
