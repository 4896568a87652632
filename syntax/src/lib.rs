//! Syntax colours: the text of a file and its name go in, the words, strings and comments of each line come out.
//!
//! Pure: no git, no files, no terminal. A client decides which colour a class has. A language is a table
//! ([`Language`]); what no table can say (heredocs, tags, indented blocks) has a file of its own. What is not known is
//! shown plain, and a wrong guess costs a colour, never a character: spans only point into the line.
//!
//! Whole files are lexed, so that a hunk begins in the right state. That takes one look at each byte, whatever the bytes
//! are, and no memory but the spans of one line.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod class;
mod code;
mod detect;
mod diff;
mod language;
mod languages;
mod lexer;
mod markup;
mod rules;
mod spans;
mod words;
mod yaml;

pub use class::SyntaxClass;
pub use language::Language;
pub use lexer::Lexer;
pub use spans::{MAX_SPANS, SyntaxSpan};
