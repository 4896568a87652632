//! The severities that are stored, and those that cross a process: the same words, in two types.

use postil_core::record::Severity;
use postil_protocol::{Advice, Fault, FaultCode, SeverityView};

/// A stored severity as clients see it.
pub(crate) fn shown(severity: &Severity) -> SeverityView {
    match severity {
        Severity::Note => SeverityView::Note,
        Severity::Nit => SeverityView::Nit,
        Severity::Issue => SeverityView::Issue,
        Severity::Blocker => SeverityView::Blocker,
        Severity::Praise => SeverityView::Praise,
        Severity::Question => SeverityView::Question,
        Severity::Other(word) => SeverityView::Other(word.clone()),
    }
}

/// The severity of a new comment; an unknown word is refused.
pub(crate) fn given(severity: &SeverityView) -> Result<Severity, Fault> {
    Ok(match severity {
        SeverityView::Note => Severity::Note,
        SeverityView::Nit => Severity::Nit,
        SeverityView::Issue => Severity::Issue,
        SeverityView::Blocker => Severity::Blocker,
        SeverityView::Praise => Severity::Praise,
        SeverityView::Question => Severity::Question,
        SeverityView::Other(word) => {
            let words = SeverityView::KNOWN.iter().map(|known| known.word().to_owned()).collect();
            return Err(Fault::new(FaultCode::InvalidParams, format!("invalid severity: {word:?}"))
                .advise(Advice::ChooseWord { words }));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_severity_is_stored_and_shown_with_the_same_word() {
        for severity in SeverityView::KNOWN {
            let stored = given(severity).unwrap();
            assert_eq!(shown(&stored), *severity);
            assert_eq!(String::from(stored), severity.word());
        }
    }

    #[test]
    fn a_word_that_is_not_known_is_shown_and_cannot_be_given() {
        let other = SeverityView::Other("x-later".into());
        assert_eq!(shown(&Severity::Other("x-later".into())), other);
        let fault = given(&other).unwrap_err();
        let Some(Advice::ChooseWord { words }) = fault.advice() else { panic!("{fault:?}") };
        assert!(SeverityView::KNOWN.iter().all(|known| words.iter().any(|word| word == known.word())));
    }
}
