//! Who vouches for something, in words.

use postil_protocol::{SignatureState, SignatureView};

use super::colour::Ink;
use crate::sanitize;

/// In a few words, for a list; `None` for an unsigned comment.
pub fn short(signature: Option<&SignatureView>) -> Option<(Ink, String)> {
    let signature = signature?;
    let signer = signature.signer.as_deref().unwrap_or("someone");
    Some(match signature.state {
        SignatureState::Verified if signature.author_differs => {
            (Ink::Doubt, format!("signed by {}, who is not the author", sanitize::line(signer.as_bytes())))
        }
        SignatureState::Verified => (Ink::Good, "signed".to_owned()),
        SignatureState::Unknown => (Ink::Doubt, "unknown signature".to_owned()),
        SignatureState::Bad => (Ink::Bad, "BAD SIGNATURE".to_owned()),
        SignatureState::Unchecked => (Ink::Faint, "signature not checked yet".to_owned()),
    })
}

/// With why, for who looks closely.
pub fn long(signature: Option<&SignatureView>) -> Option<(Ink, String)> {
    let (ink, mut told) = short(signature)?;
    let signature = signature?;
    if let (SignatureState::Verified, false, Some(signer)) =
        (signature.state, signature.author_differs, &signature.signer)
    {
        told = format!("signed by {}", sanitize::line(signer.as_bytes()));
    }
    if let Some(why) = &signature.why {
        told = format!("{told}: {}", sanitize::line(why.as_bytes()));
    }
    Some((ink, told))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(state: SignatureState, author_differs: bool, why: Option<&str>) -> SignatureView {
        let signer = Some("ann@example.com\u{1b}[2J".to_owned());
        SignatureView { state, signer, key: None, author_differs, why: why.map(str::to_owned) }
    }

    #[test]
    fn each_state_has_its_words_and_escapes_are_harmless() {
        let check = |view: SignatureView, expected: &str| {
            let (_, told) = long(Some(&view)).unwrap();
            assert!(told.starts_with(expected) && !told.contains('\u{1b}'), "{told}");
        };
        check(view(SignatureState::Verified, false, None), "signed by ann@example.com");
        check(view(SignatureState::Verified, true, None), "signed by ann@example.com");
        check(view(SignatureState::Unknown, false, Some("nobody")), "unknown signature: nobody");
        check(view(SignatureState::Bad, false, Some("no match")), "BAD SIGNATURE: no match");
        check(view(SignatureState::Unchecked, false, None), "signature not checked yet");
        assert!(short(None).is_none());
    }
}
