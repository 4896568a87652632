//! Threads as cards: their comments, states and suggestions, and what can be done with them.

mod author;
mod comment_body;
mod copied;
mod nearby_list;
mod orphan_places;
mod position_words;
mod proposals;
mod state_shape;
mod suggestion;
mod thread_card;
mod thread_groups;
mod timeline;

pub(super) use author::avatar;
pub(crate) use copied::copied;
pub(crate) use nearby_list::nearby_list;
pub(super) use suggestion::{both_sides, fate};
pub(crate) use thread_card::{CardPlace, thread_card};
pub(crate) use thread_groups::Placeless;
pub(super) use thread_groups::{ThreadGroups, about_review, is_in_file, orphans, placeless_cards};
pub(crate) use timeline::timeline;
