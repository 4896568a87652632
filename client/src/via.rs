//! What acts in the name of the person: an agent or a tool, as it declares itself.
//!
//! By an option of the client, by `POSTIL_VIA`, or by one of the marks that agents set in the environment of what they
//! start. Nothing else is looked at, so that nobody is taken for an agent silently.

use postil_protocol::ViaView;

use crate::error::SessionError;

/// The variable by which a program declares itself.
pub const VIA_VARIABLE: &str = "POSTIL_VIA";

/// Marks that agents set in the environment of the commands they run, and what sets them.
pub const AGENT_MARKS: [(&str, &str); 8] = [
    ("CLAUDECODE", "claude-code"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("COPILOT_CLI", "copilot"),
    ("CURSOR_AGENT", "cursor"),
    ("GEMINI_CLI", "gemini-cli"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_CLIENT", "opencode"),
];

/// Marks that several agents set. The value of `AI_AGENT` is the name of the agent, or only says that there is one; `AGENT` is
/// a word that others use for other things, and counts only if its value is a name.
pub const NAMING_MARKS: [&str; 2] = ["AI_AGENT", COMMON_MARK];

/// The mark that is an ordinary variable to others.
const COMMON_MARK: &str = "AGENT";

/// What looks like the name of an agent, and is none.
const NO_AGENTS: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "ssh-agent", "gpg-agent"];

/// The name of an agent that does not tell its own.
const UNNAMED: &str = "agent";

/// A longer value of a mark is not taken for a name.
const MAX_NAME_BYTES: usize = 40;

/// Who acts, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredVia {
    /// A person, by hand.
    Person,
    /// A program.
    Program(ViaView),
}

impl DeclaredVia {
    /// Reads `person`, or `KIND:PROGRAM[@VERSION][,model=MODEL]` where the kind is `agent` or `tool`.
    pub fn parse(text: &str) -> Result<Self, SessionError> {
        let invalid = || SessionError::InvalidVia { text: text.to_owned() };
        if text == "person" {
            return Ok(Self::Person);
        }
        let (kind, rest) = text.split_once(':').ok_or_else(invalid)?;
        if !matches!(kind, "agent" | "tool") {
            return Err(invalid());
        }
        let (program, model) = match rest.split_once(",model=") {
            Some((program, model)) => (program, Some(model)),
            None => (rest, None),
        };
        let (program, version) = match program.split_once('@') {
            Some((program, version)) => (program, Some(version)),
            None => (program, None),
        };
        let is_empty = |word: &str| word.trim().is_empty();
        if is_empty(program) || model.is_some_and(is_empty) || version.is_some_and(is_empty) {
            return Err(invalid());
        }
        Ok(Self::Program(ViaView {
            kind: kind.to_owned(),
            program: program.to_owned(),
            version: version.map(str::to_owned),
            model: model.map(str::to_owned),
            person: None,
        }))
    }

    /// Who reads: what is not understood is a program that says what it is, and no person.
    pub(crate) fn of_reader(declared: &Result<Self, String>) -> Option<ViaView> {
        match declared {
            Ok(declared) => declared.program().cloned(),
            Err(_) => {
                let (kind, program) = ("agent".to_owned(), UNNAMED.to_owned());
                Some(ViaView { kind, program, version: None, model: None, person: None })
            }
        }
    }

    /// What the environment declares.
    pub(crate) fn in_environment() -> Result<Self, SessionError> {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SessionError> {
        let set = |name: &str| variable(name).filter(|value| !matches!(value.as_str(), "" | "0" | "false"));
        if let Some(declared) = variable(VIA_VARIABLE).filter(|declared| !declared.is_empty()) {
            return Self::parse(&declared);
        }
        let known = AGENT_MARKS.iter().find(|(name, _)| set(name).is_some());
        let named = || {
            let mut naming = NAMING_MARKS.iter().filter_map(|name| Some((*name, set(name)?)));
            naming.find_map(|(name, value)| agent_named(name, &value))
        };
        let program = known.map(|(_, program)| (*program).to_owned()).or_else(named);
        Ok(program.map_or(Self::Person, |program| {
            let (kind, version, model, person) = ("agent".into(), None, None, None);
            Self::Program(ViaView { kind, program, version, model, person })
        }))
    }

    /// The program, if it is one.
    pub fn program(&self) -> Option<&ViaView> {
        match self {
            Self::Person => None,
            Self::Program(via) => Some(via),
        }
    }
}

/// The name that a mark gives: `goose`, or `amp` of `Amp@1.2`; others have a name in common, if they are agents at all.
fn agent_named(mark: &str, value: &str) -> Option<String> {
    let name = value.split(['@', '/', ' ', ',']).next().unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let has_letters = name.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_name = has_letters && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_plain);
    let name = Some(name.to_ascii_lowercase()).filter(|name| is_name && !NO_AGENTS.contains(&name.as_str()));
    if mark != COMMON_MARK {
        return name.or_else(|| Some(UNNAMED.to_owned()));
    }
    // The whole value, which may end with a version: no path, no number and no sentence.
    let is_whole = value.split_once('@').map_or(value, |(name, _)| name).bytes().all(is_plain);
    let begins = value.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    name.filter(|_| is_whole && begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(declared: &DeclaredVia) -> String {
        let via = declared.program();
        via.map_or_else(
            || "person".to_owned(),
            |via| format!("{} {} {:?} {:?}", via.kind, via.program, via.version, via.model),
        )
    }

    #[test]
    fn a_declaration_has_a_kind_a_name_and_what_else_is_known() {
        let check = |text: &str, expected: &str| {
            assert_eq!(told(&DeclaredVia::parse(text).unwrap()), expected, "{text}");
        };
        check("agent:helper", "agent helper None None");
        check("tool:lint@1.2", "tool lint Some(\"1.2\") None");
        check("agent:helper@2,model=large-3", "agent helper Some(\"2\") Some(\"large-3\")");
        check("person", "person");
        for wrong in ["", "agent", "agent:", "robot:x", "agent:x@", "agent:x,model=", "agent: @1"] {
            assert!(DeclaredVia::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_named_marks_of_the_environment_count_and_ours_counts_most() {
        let check = |set: &[(&str, &str)], expected: &str| {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(told(&DeclaredVia::of(variable).unwrap()), expected, "{set:?}");
        };
        check(&[], "person");
        check(&[("CI", "true")], "person");
        check(&[("AI_AGENT", "1")], "agent agent None None");
        check(&[("AI_AGENT", "true")], "agent agent None None");
        check(&[("AGENT", "Amp@1.2")], "agent amp None None");
        for other in [
            "1",
            "7",
            "/usr/bin/ssh-agent",
            "ssh-agent",
            "bin/agent",
            "-x",
            ".x",
            "a b",
            "true",
            "off",
            "\u{e9}",
        ] {
            check(&[("AGENT", other)], "person");
        }
        check(&[("AGENT", "1"), ("AI_AGENT", "amp")], "agent amp None None");
        check(&[("AGENT", "goose")], "agent goose None None");
        check(&[("AI_AGENT", "Amp@1.2")], "agent amp None None");
        check(&[("AI_AGENT", "two words\u{1b}")], "agent two None None");
        check(&[("AI_AGENT", "\u{202e}x")], "agent agent None None");
        check(&[("AGENT", "0")], "person");
        check(&[("CODEX_THREAD_ID", "019a-f")], "agent codex None None");
        check(&[("COPILOT_CLI", "1")], "agent copilot None None");
        check(&[("OPENCODE", "1"), ("AGENT", "1")], "agent opencode None None");
        check(&[("CLAUDECODE", "1")], "agent claude-code None None");
        check(&[("CLAUDECODE", "0"), ("GEMINI_CLI", "")], "person");
        check(&[("CLAUDECODE", "1"), (VIA_VARIABLE, "tool:lint")], "tool lint None None");
        check(&[("CLAUDECODE", "1"), (VIA_VARIABLE, "person")], "person");
        assert!(DeclaredVia::of(|_| Some("nonsense".into())).is_err());
    }
}
