//! The binary `git-postil`, which git runs for `git postil`. Everything it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    postil_cli::main("git postil")
}
