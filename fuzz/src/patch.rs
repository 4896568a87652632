//! What must hold of a patch, whatever its bytes are and whatever it is applied to.

use postil_core::patch::{ParsedPatch, PatchForm};

/// Reads what stands behind the first NUL as a patch of every form, and applies it to what stands before.
///
/// Panics where a law of patches does not hold.
pub fn patch(data: &[u8]) {
    let split = data.iter().position(|byte| *byte == 0).unwrap_or(0);
    let (base, patch) = (&data[..split], &data[(split + 1).min(data.len())..]);
    for form in [PatchForm::Unified, PatchForm::SearchReplace, PatchForm::BeginEnd] {
        let Ok(patch) = ParsedPatch::read_as(patch, form) else { continue };
        for file in patch.files.iter().chain(&patch.clone().reversed().files) {
            let Ok(applied) = file.apply(base) else { continue };
            assert_eq!(applied.edit.apply(base).as_deref(), Ok(applied.text.as_slice()));
            assert_eq!(file.apply(base).as_ref(), Ok(&applied), "the same input gives the same answer");
        }
        if let Ok(plan) = patch.plan(None, |_| Some(base.to_vec())) {
            for path in plan.iter().flat_map(|change| change.from.iter().chain(&change.to)) {
                let parts = || path.as_bytes().split(|byte| *byte == b'/');
                assert!(parts().all(|part| part != b".." && !part.is_empty()), "{path} leaves the tree");
                assert!(!parts().any(|part| part.eq_ignore_ascii_case(b".git")), "{path} is git's own");
            }
        }
    }
}
