//! A file is named after the one thing inside it.
//!
//! Homeless code belongs to the type it serves.

use crate::source::{Complaint, Source};

const VAGUE: [&str; 10] =
    ["util", "utils", "common", "helper", "helpers", "misc", "manager", "types", "shared", "stuff"];

/// Complains about a file or folder whose name says nothing.
pub fn vague(source: &Source) -> Vec<Complaint> {
    source
        .path
        .split('/')
        .map(|part| part.trim_end_matches(".rs"))
        .filter(|stem| VAGUE.contains(stem))
        .map(|stem| source.complain(0, format!("`{stem}` does not say what lives here")))
        .collect()
}

#[test]
fn a_vague_name_is_found_in_files_and_folders() {
    for bad in ["core/src/util.rs", "core/src/git/types.rs", "cli/src/common/mod.rs"] {
        assert_eq!(vague(&Source::new(bad, "")).len(), 1, "{bad}");
    }
    assert!(vague(&Source::new("core/src/record/span.rs", "")).is_empty());
}
