//! Connections, within limits, and which answer belongs to which request.

mod applying;
mod connection;
mod copying;
mod exporting;
mod image;
mod page_body;
mod patient_stream;
mod previewing;
mod prose;
mod reading;
mod reviews;
mod router;
mod site;
mod viewing;
mod whole_diff;
mod writing;

pub(crate) use connection::accept;
pub(crate) use exporting::export_page;
pub(crate) use site::{PageSite, Writable};
