//! `postil lsp` as an editor sees it: messages in, messages out, and a real repository.

mod commands;
mod editor;
mod extension;
mod gone;
mod hostile;
mod manner;
mod marked;
mod places;
mod random_edits;
mod scenarios;
mod silent;
mod texts;
mod thirty;
