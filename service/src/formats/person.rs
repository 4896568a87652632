//! People as other tools name them, and tools that are named like people.

use postil_core::record::MAX_VIA_BYTES;
use postil_protocol::{Person, ViaView};

use super::field::word;

/// The domain of those who have no address: one that there never will be.
const NOWHERE: &str = "imported.invalid";

/// Reads `Ann <ann@example.com>`, an address, or a name.
pub fn read(text: &str) -> Person {
    let text = word(text);
    if let Some((name, rest)) = text.split_once('<')
        && let Some(email) = rest.trim_end().strip_suffix('>')
        && !name.trim().is_empty()
    {
        return Person { name: name.trim().to_owned(), email: email.trim().to_owned(), via: None };
    }
    if text.contains('@') && !text.contains(' ') {
        return Person { name: text.clone(), email: text, via: None };
    }
    named(&text)
}

/// A person or a tool that is known only by name.
pub fn named(name: &str) -> Person {
    let name = word(name);
    let plain = |c: char| if c.is_alphanumeric() || c == '.' || c == '_' { c } else { '-' };
    let local: String = name.to_lowercase().chars().map(plain).collect();
    if name.is_empty() {
        return Person::new("somebody", format!("somebody@{NOWHERE}"));
    }
    Person::new(name, format!("{local}@{NOWHERE}"))
}

/// A tool, as the author of what it reports.
pub fn tool(name: &str, version: Option<&str>) -> Person {
    program("tool", name, version)
}

/// A program that decides by itself what to say.
pub fn agent(name: &str) -> Person {
    program("agent", name, None)
}

fn program(kind: &str, name: &str, version: Option<&str>) -> Person {
    let tool = named(name);
    // A record with a longer one is refused.
    let cut = |text: &str| text[..text.floor_char_boundary(MAX_VIA_BYTES)].to_owned();
    let via = ViaView {
        kind: kind.to_owned(),
        program: cut(&tool.name),
        version: version.map(|version| cut(&word(version))).filter(|version| !version.is_empty()),
        model: None,
        person: None,
    };
    Person { via: Some(Box::new(via)), ..tool }
}

/// Writes a person so that [`read`] reads the same; those without an address by their name alone.
pub fn write(person: &Person) -> String {
    let is_named = named(&person.name).email == person.email;
    if is_named || (person.email == person.name && person.name.contains('@')) {
        return person.name.clone();
    }
    format!("{} <{}>", person.name, person.email)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_read_as_others_name_them() {
        let check = |text: &str, name: &str, email: &str| {
            let person = read(text);
            assert_eq!((person.name.as_str(), person.email.as_str()), (name, email), "{text}");
            assert_eq!(read(&write(&person)), person, "{text}");
        };
        check("Ann Lee <ann@example.com>", "Ann Lee", "ann@example.com");
        check("ann@example.com", "ann@example.com", "ann@example.com");
        check("google-cla[bot]", "google-cla[bot]", "google-cla-bot-@imported.invalid");
        check("Ann Lee", "Ann Lee", "ann-lee@imported.invalid");
        check("", "somebody", "somebody@imported.invalid");
        check("a\u{1b}[2J", "a?[2J", "a--2j@imported.invalid");
        let long = tool(&"ä".repeat(300), Some(&"1".repeat(300))).via.expect("a tool is named as one");
        assert_eq!((long.program.len(), long.version.map(|version| version.len())), (128, Some(128)));
        assert_eq!(write(&tool("Lint", Some("1.2"))), "Lint", "what it is, is not a part of its name");
    }
}
