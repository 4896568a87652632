//! Which requests ask only: who asks the same may have the same answer, and nobody misses one that was taken back.

use postil_protocol::Call;

/// Whether a call leaves everything as it was, so that nobody misses its answer.
pub(crate) fn reads_only(call: &Call) -> bool {
    matches!(
        call,
        Call::List(_)
            | Call::Show(_)
            | Call::Log(_)
            | Call::Diff(_)
            | Call::Apply(_)
            | Call::Patch(_)
            | Call::ReviewList(_)
            | Call::ReviewShow(_)
            | Call::Status(_)
    )
}

#[cfg(test)]
mod tests {
    use postil_protocol::{In, List, Method};

    use super::*;

    #[test]
    fn every_method_that_only_reads_can_be_taken_back_and_no_other() {
        let reading: Vec<&str> = Call::NAMES
            .iter()
            .copied()
            .filter(|name| {
                let params = r#"{"repository":{"git_dir":"/r"},"of":"a","to":"a","text":"","threads":[],"comments":[],"patches":[],"verdict":"approve","status":"open"}"#;
                matches!(Call::from_parts(name, params), Some(Ok(call)) if reads_only(&call))
            })
            .collect();
        assert_eq!(
            reading,
            ["apply", "patch", "list", "show", "log", "diff", "review.list", "review.show", "status"]
        );
        assert_eq!(<In<List> as Method>::NAME, "list");
    }
}
