//! Who wrote something: a person, or a program and whom it works for; and what vouches for it.

use maud::{Markup, PreEscaped, html};
use postil_protocol::{CommentTrust, Person, SignatureState, SignatureView, ViaView};
use postil_words::sanitize;

use crate::escape::push_seen;

/// The mark of a person: the first letters of their name, on one of eight colours.
pub(crate) fn avatar(person: &Person) -> Markup {
    let letters: String = person
        .name
        .split_whitespace()
        .filter_map(|word| word.chars().find(|c| c.is_alphanumeric()))
        .take(2)
        .flat_map(char::to_uppercase)
        .collect();
    let colour = blake3::hash(person.email.as_bytes()).as_bytes()[0] % 8;
    let is_program = person.via.is_some();
    html! { span class={ "avatar c" (colour) @if is_program { " program" } } aria-hidden="true" { (letters) } }
}

/// The name of an author, and what it is if it is not a person: `helper (agent for Ada)`.
pub(crate) fn who(person: &Person) -> Markup {
    html! {
        @match person.via.as_deref() {
            None => { strong.who title=(seen_text(&person.email)) { (seen(&person.name)) } }
            Some(via) => {
                strong.who title=(seen_text(&made_of(via))) { (seen(&person.name)) }
                span.role { " (" (seen(&role(via))) ")" }
            }
        }
    }
}

/// A name of others, in which everything can be seen.
fn seen(name: &str) -> PreEscaped<String> {
    let mut html = String::new();
    push_seen(&mut html, name);
    PreEscaped(html)
}

/// The same for an attribute.
fn seen_text(name: &str) -> String {
    sanitize::line(name.as_bytes())
}

/// The same as text.
pub(crate) fn who_text(person: &Person) -> String {
    match person.via.as_deref() {
        None => seen_text(&person.name),
        Some(via) => seen_text(&format!("{} ({})", person.name, role(via))),
    }
}

fn role(via: &ViaView) -> String {
    match &via.person {
        Some(person) => format!("{} for {}", via.kind, person.name),
        None => via.kind.clone(),
    }
}

/// The program, its version and its model.
fn made_of(via: &ViaView) -> String {
    let more = [Some(via.program.as_str()), via.version.as_deref(), via.model.as_deref()];
    more.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What vouches for something: nothing is said of what nobody signed.
pub(super) fn vouched(trust: CommentTrust, signature: Option<&SignatureView>) -> Markup {
    let why = signature.and_then(|signature| signature.why.clone()).unwrap_or_default();
    let signer = signature.and_then(|signature| signature.signer.clone());
    let state = signature.map(|signature| signature.state);
    html! {
        @match (trust, state) {
            (CommentTrust::Signed, _) => {
                span.chip.signed title={ "The signature is valid, and its key is trusted" @if let Some(signer) = signer { ": " (signer) } } { "signed" }
            }
            (CommentTrust::Bad, _) => { span.chip.bad title=(why) { "bad signature" } }
            (_, Some(SignatureState::Unknown)) => { span.chip title={ "The key is not known here. " (why) } { "unknown key" } }
            (_, Some(SignatureState::Unchecked)) => { span.chip title="There was not enough time to check the signature" { "not checked" } }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_from_the_person_it_works_for() {
        let ada = Person::new("Ada", "ada@example.org");
        let via = ViaView {
            kind: "agent".into(),
            program: "helper".into(),
            version: Some("2".into()),
            model: Some("<large>".into()),
            person: Some(Box::new(ada.clone())),
        };
        let helper = Person { via: Some(Box::new(via)), ..Person::new("helper", "x@agent.invalid") };
        assert_eq!((who_text(&helper).as_str(), who_text(&ada).as_str()), ("helper (agent for Ada)", "Ada"));
        let shown = who(&helper).into_string();
        assert!(shown.contains("(agent for Ada)") && shown.contains("helper 2 &lt;large&gt;"), "{shown}");
        assert!(avatar(&helper).into_string().contains("program"));
    }

    #[test]
    fn a_signature_is_said_by_what_it_is_worth() {
        let signature = |state| SignatureView {
            state,
            signer: Some("ada".into()),
            key: None,
            author_differs: false,
            why: Some("no such key".into()),
        };
        let shown = |trust, state| vouched(trust, Some(&signature(state))).into_string();
        assert!(shown(CommentTrust::Signed, SignatureState::Verified).contains("signed"));
        assert!(shown(CommentTrust::Bad, SignatureState::Bad).contains("no such key"));
        assert!(shown(CommentTrust::Here, SignatureState::Unknown).contains("unknown key"));
        assert_eq!(vouched(CommentTrust::Unsigned, None).into_string(), "");
    }
}
