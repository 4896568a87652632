//! The bodies of the fuzz targets: functions that panic where a law does not hold.
//!
//! They are functions so that the ordinary tests call them as well (`core/tests/rooms/fuzzed`, `service/tests/service/fuzzed`, `syntax/tests/syntax/fuzzed`), with the
//! inputs that `thrown` and `mutated` make.

pub mod dice;
pub mod mutated;
pub mod note_page;
pub mod patch;
pub mod rebase;
pub mod record;
pub mod report;
pub mod sealing;
pub mod syntax;
pub mod thrown;
