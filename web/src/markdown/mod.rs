//! Markdown as HTML: events, written by us. Raw HTML is never markup, and nothing is loaded from anywhere.

mod comment;
mod html_writer;
mod prose;

pub(crate) use comment::to_html;
pub(crate) use prose::{ProsePage, WordsMark};
