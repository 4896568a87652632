//! Threads as editors show them: diagnostics, hovers, actions, lenses and hints. Everything of other people is made
//! harmless here.

pub(crate) mod actions;
pub(crate) mod diagnostics;
pub(crate) mod hover;
pub(crate) mod lenses;
pub(crate) mod shown_text;
pub(crate) mod thread_at;
