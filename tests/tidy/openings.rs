//! Every file opens by saying what lives there and what must not.

use crate::source::{Complaint, Source};

/// Complains about a file that does not begin with its own documentation.
pub fn missing(source: &Source) -> Vec<Complaint> {
    let says_something = source.text.strip_prefix("//! ").is_some_and(|rest| !rest.trim_start().is_empty());
    let complaint = "does not open with `//! ` and what lives here";
    (!says_something).then(|| source.complain(0, complaint)).into_iter().collect()
}

#[test]
fn a_file_without_an_opening_is_found() {
    for bad in [
        "",
        "use std::fmt;\n",
        "// Not documentation.\n",
        "/// Of an item.\nfn f() {}\n",
        "//!\n",
        "\n//! Late.\n",
    ] {
        assert_eq!(missing(&Source::new("core/src/x.rs", bad)).len(), 1, "{bad:?}");
    }
    assert!(missing(&Source::new("core/src/x.rs", "//! Runs of lines.\n")).is_empty());
}
