//! What every page is in: its head, its bar, and the templates of what its scripts show.

mod page_shell;
mod templates;

pub(crate) use page_shell::{Colours, PageForm, PageFrame, Theme};
pub(super) use page_shell::{PageKind, page};
