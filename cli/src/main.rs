//! The binary `postil`. Everything it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    postil_cli::main("postil")
}
