//! What a person gives to commands: places, texts, paths, dates, numbers.

pub(crate) mod choose_place;
pub(crate) mod date;
pub(crate) mod editor;
pub(crate) mod kept_text;
pub(crate) mod location;
pub(crate) mod message;
pub(crate) mod message_place;
pub(crate) mod number;
pub(crate) mod paths;
pub(crate) mod suggested_change;
pub(crate) mod target;
