//! Lines of files, compared and searched: what is new in a branch that was rewritten, and where lost lines may belong.

mod nearby_places;
mod since_lines;

pub(crate) use nearby_places::{NearbyPlace, nearby};
pub(crate) use since_lines::since_lines;
