//! Connections, within limits, and which answer belongs to which request.

mod applying;
mod connection;
mod copying;
mod diff_pieces;
mod exporting;
mod image;
mod message;
mod nearby;
mod page_body;
mod patient_stream;
mod previewing;
mod prose;
mod reading;
mod reviews;
mod router;
mod since;
mod site;
mod streaming;
mod viewing;
mod writing;
mod written_lines;

pub(crate) use connection::accept;
pub(crate) use exporting::export_page;
pub(crate) use site::{PageSite, Writable};
