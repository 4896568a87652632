//! Feeds bytes to `postil_fuzz::report`, where the laws are.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| postil_fuzz::report::report(data));
