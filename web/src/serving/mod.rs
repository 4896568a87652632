//! Connections, within limits, and which answer belongs to which request.

mod connection;
mod image;
mod page_body;
mod patient_stream;
mod reading;
mod router;
mod site;
mod viewing;
mod whole_diff;
mod writing;

pub(crate) use connection::accept;
pub(crate) use site::{PageSite, Writable};
