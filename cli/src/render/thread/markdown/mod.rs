//! Markdown as people read it at a terminal: styles for marks, wrapped at a width.
//!
//! Nothing is hidden: raw HTML with its comments, titles of links and unused definitions are shown as text, and an address
//! is shown wherever the terminal may not show it. What is too long or nested too deeply is shown as it was written.

mod address;
mod blocks;
mod table;

pub use blocks::{MarkdownLook, markdown};
