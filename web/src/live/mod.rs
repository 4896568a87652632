//! What happens, told to pages: small events that name what changed, each with a mark to go on from.

mod hub;
mod news;

pub(crate) use hub::LiveHub;
pub(crate) use news::News;
