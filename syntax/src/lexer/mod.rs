//! Reads a text line by line: whichever grammar its language has, and Markdown, whose fences have languages of their own.

mod by_line;
mod markdown;

pub use by_line::Lexer;
