//! Lines of files, compared and searched: what is new in a branch that was rewritten, where lost lines may belong, and where lines went.

mod lines_again;
mod nearby_places;
mod since_lines;

pub(crate) use lines_again::LinesSeen;
pub(crate) use nearby_places::{NearbyPlace, nearby};
pub(crate) use since_lines::since_lines;
