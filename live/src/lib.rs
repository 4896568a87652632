//! Where threads are while somebody types, between two answers of the service.
//!
//! Pure: texts and verified positions go in, places come out. There is no editor here, no protocol, no clock and no
//! repository. Edits only move places for the moment. What state a thread is in comes from a verified answer alone, so
//! that the same text has the same states, whatever edits led to it.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod document;
mod encoding;
mod ghost;
mod place;
mod text_step;
mod verified_texts;

pub use document::{AfterAnswer, LiveDocument, LiveThread, PlacesMoved, Verified};
pub use encoding::{
    Encoding, EncodingError, TextPosition, byte_offset, known_offset, replace, text_position,
};
pub use ghost::Ghost;
pub use place::{LivePlace, LiveRange};
pub use postil_core::edit::Text;
pub use text_step::TextStep;
