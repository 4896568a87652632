//! The HTML of every page and of its parts: answers of the service go in, text comes out. Nothing is asked or read here.
//!
//! The shell is checked by the compiler (maud). Lines of a diff are pushed by hand, since there are many: one element a
//! line, in blocks that the browser lays out when they come near.

mod apply_plan;
mod code_line;
mod diff_bar;
mod drift;
mod file_key;
mod file_section;
mod file_tree;
mod images;
mod layout;
mod notice;
mod outline;
mod overview;
mod prose;
mod review_head;
mod review_page;
#[cfg(test)]
mod samples;
mod shell;
mod snippet;
mod threads;
mod versions;
mod when;

pub(crate) use apply_plan::{ApplyPlan, apply_plan};
pub(crate) use code_line::MAX_SHOWN_BYTES;
pub(crate) use drift::drift;
pub(crate) use file_section::{LinesGoOn, file_frame, file_lines, file_section, first_lines, lines_from};
pub(crate) use layout::Layout;
pub(crate) use notice::{notice, unfinished};
pub(crate) use outline::outline;
pub(crate) use overview::{ReviewFacts, overview};
pub(crate) use prose::{ProseSides, prose_sides};
pub(crate) use review_page::{
    ReviewPage, has_very_many_threads, more_placeless, review_frame, review_page, review_parts,
};
pub(crate) use shell::{Colours, PageForm, PageFrame, Theme};
pub(crate) use snippet::Snippet;
pub(crate) use threads::{CardPlace, Placeless, copied, nearby_list, thread_card, timeline};
pub(crate) use versions::message_section;
