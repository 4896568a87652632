//! People and the programs that work for them, in words.

use postil_protocol::{Person, ViaView};

use crate::sanitize;

/// The name of an author, and what it is if it is not a person: `helper (agent for Ada)`.
pub fn name(person: &Person) -> String {
    sanitize::line(person.name.as_bytes()) + &role(person.via.as_deref())
}

/// What an author is, behind a blank; nothing for a person.
pub fn role(via: Option<&ViaView>) -> String {
    let Some(via) = via else { return String::new() };
    let kind = sanitize::line(via.kind.as_bytes());
    match &via.person {
        Some(person) => format!(" ({kind} for {})", sanitize::line(person.name.as_bytes())),
        None => format!(" ({kind})"),
    }
}

/// The email of an author, behind a blank; that of a program is nobody's, so its version and model come instead.
pub fn email(person: &Person) -> String {
    match &person.via {
        Some(via) => {
            let more = [via.version.as_deref(), via.model.as_deref()].into_iter().flatten();
            let more: String = more.map(|word| format!(" {word}")).collect();
            sanitize::line(more.as_bytes())
        }
        None => format!(" <{}>", sanitize::line(person.email.as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_from_a_person_and_escapes_are_harmless() {
        let ada = Person::new("Ada\u{1b}[2J", "ada@example.org");
        let via = ViaView {
            kind: "agent\u{1b}".into(),
            program: "helper".into(),
            version: Some("2\u{7}".into()),
            model: Some("large".into()),
            person: Some(Box::new(ada.clone())),
        };
        let helper =
            Person { via: Some(Box::new(via.clone())), ..Person::new("helper\u{1b}", "x@agent.invalid") };
        for told in [name(&helper), name(&ada), email(&helper), email(&ada)] {
            assert!(!told.chars().any(char::is_control), "{told:?}");
        }
        assert!(name(&helper).contains("for Ada"), "{}", name(&helper));
        assert!(!email(&helper).contains('@') && email(&ada) == " <ada@example.org>");
    }
}
