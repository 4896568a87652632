//! Stories from end to end, against the real binaries and the real git; one file each.

#[path = "../support/mod.rs"]
mod support;

mod another_client;
mod applying;
mod by_hand;
mod commenting;
mod converging;
mod daemon;
mod daemon_alike;
mod daemon_by_hand;
mod daemon_events;
mod daemon_exchange;
mod daemon_full_disk;
mod daemon_git;
mod daemon_kill;
mod daemon_races;
mod daemon_service;
mod daemon_soak;
mod daemon_start;
mod demo;
mod doctor;
mod exchange;
mod following;
mod hardened;
mod hostile;
mod hostile_corpus;
mod json;
mod merging_notes;
mod patching;
mod programs;
mod readme;
mod refusing;
mod reviewing;
mod rewriting;
mod sharing;
mod shells;
mod signing;
mod signing_openpgp;
mod suggesting;
mod tables;
mod telling;
mod terminal;
mod usage;
mod watching;
mod whereabouts;
