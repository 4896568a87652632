//! Markdown as it reads on the page, with a map back to its source.
//!
//! What the rendered text is, so that two programs can agree on it:
//!
//! - Marks are gone, words stay: emphasis, links, images (their alternative text), code spans,
//!   escapes and entities read as on the page. A footnote's reference reads as its label.
//! - A soft break is a space, a hard break a newline.
//! - Between two blocks that have text is one newline: paragraphs, headings, list items, rows of
//!   a table. Between two cells of a row is one tab. Blocks without text leave nothing.
//! - Code blocks keep their lines and their white space, but not blank lines at either end.
//! - Of HTML only what is between tags is text; comments, scripts and styles are not. Raw white
//!   space in an HTML block reads as one space, and a tag that breaks the line as a newline.
//! - List markers, task boxes, rules, reference definitions and front matter are not text.
//!
//! Offsets count bytes. Searching in the text is `anchoring`'s work.

mod code_span;
mod depth;
mod front_matter;
mod html;
mod map;
mod name;
mod outline;
mod render;
mod write;

pub use map::SourceMap;
pub use name::is_markdown_name;
pub use outline::{MAX_TITLE_CHARS, Outline, Section, SectionKinship};
pub use render::{MAX_MARKDOWN_BYTES, RenderError, Rendered, events, readable, render};

#[cfg(test)]
mod laws;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
