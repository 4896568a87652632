//! Records on their way to the notes.

pub(crate) mod records;
pub(crate) mod reply_record;
pub(crate) mod sign;
pub(crate) mod status_record;
pub(crate) mod warnings;
