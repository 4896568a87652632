//! The methods about reviews, one file each.

pub(crate) mod change;
pub(crate) mod edit;
pub(crate) mod list;
pub(crate) mod ready;
pub(crate) mod request;
pub(crate) mod show;
pub(crate) mod since;
pub(crate) mod start;
pub(crate) mod verdict;
