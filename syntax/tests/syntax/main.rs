//! The lexer from outside: a table of cases for each language, laws, and hostile bytes.

mod code;
mod fuzzed;
mod laws;
mod marked;
mod names;
mod scripts;
mod spans_of;
