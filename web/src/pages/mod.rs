//! The HTML of every page and of its parts: answers of the service go in, text comes out. Nothing is asked or read here.
//!
//! The shell is checked by the compiler (maud). Lines of a diff are pushed by hand, since there are many: one element a
//! line, in blocks that the browser lays out when they come near.

mod code_line;
mod comment_body;
mod commits;
mod diff_bar;
mod file_key;
mod file_section;
mod file_tree;
mod images;
mod layout;
mod notice;
mod outline;
mod overview;
mod position_words;
mod review_head;
mod review_page;
#[cfg(test)]
mod samples;
mod shell;
mod thread_card;
mod thread_groups;
mod when;

pub(crate) use file_section::{file_lines, file_section};
pub(crate) use layout::Layout;
pub(crate) use notice::notice;
pub(crate) use outline::outline;
pub(crate) use overview::overview;
pub(crate) use review_page::{ReviewPage, review_page, review_parts};
pub(crate) use shell::{PageFrame, Theme};
pub(crate) use thread_card::{CardPlace, thread_card};
