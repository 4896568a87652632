//! Feeds bytes to `postil_fuzz::note_page`, where the laws are.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| postil_fuzz::note_page::note_page(data));
