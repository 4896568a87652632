//! Feeds bytes to `postil_fuzz::syntax`, where the laws are.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| postil_fuzz::syntax::syntax(data));
