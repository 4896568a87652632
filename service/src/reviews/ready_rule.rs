//! What it takes to be ready: a file of the base, in the syntax of git's configuration.
//!
//! Pure: bytes in, a rule out. Everything that is not understood is an error: a rule that says more than this version
//! knows must not be taken for one that asks for less.

use std::collections::BTreeSet;

use gix::bstr::ByteSlice as _;
use gix::config::parse::{EventRef, Events};

/// The file, from the root of the repository.
pub(crate) const RULE_FILE: &str = ".postil/ready";

/// A larger file is not a rule.
pub(crate) const MAX_RULE_BYTES: usize = 64 << 10;

/// More approvals than this cannot be asked for.
const MAX_APPROVALS: u32 = 100;

/// The version of the file that is understood.
const VERSION: &str = "1";

/// What it takes to be ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadyRule {
    /// How many people have to approve.
    pub approvals: u32,
    /// Emails of those whose approvals count, in lower case; everybody's, if it is empty.
    pub from: BTreeSet<String>,
    /// Emails of those who have to approve, in lower case.
    pub required: BTreeSet<String>,
    /// Whether only signed verdicts count.
    pub signed: bool,
    /// Whether it may be merged with open blockers.
    pub blockers_allowed: bool,
    /// Whether it may be merged although somebody requests changes.
    pub changes_allowed: bool,
}

/// Why a file is not a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct ReadyRuleError {
    /// The line, if it is about one.
    pub line: Option<u32>,
    /// What is wrong.
    pub why: String,
}

impl Default for ReadyRule {
    /// The usual rule, where the base has none: one approval by somebody else, no open blocker, and nobody requests
    /// changes.
    fn default() -> Self {
        Self {
            approvals: 1,
            from: BTreeSet::new(),
            required: BTreeSet::new(),
            signed: false,
            blockers_allowed: false,
            changes_allowed: false,
        }
    }
}

impl ReadyRule {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadyRuleError> {
        if bytes.len() > MAX_RULE_BYTES {
            return Err(ReadyRuleError { line: None, why: "it is too large".into() });
        }
        // The parser says nothing of what comes before the first section.
        let is_remark = |line: &[u8]| line.is_empty() || line.starts_with(b"#") || line.starts_with(b";");
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii)) {
            if line.starts_with(b"[") {
                break;
            }
            if !is_remark(line) {
                return Err(at(number, "the file must begin with [ready]".into()));
            }
        }
        let parsed = Events::from_bytes(bytes, None).map_err(|error| ReadyRuleError {
            line: u32::try_from(error.line_number()).ok(),
            why: "this is not the syntax of a git configuration".into(),
        })?;
        let mut rule = RuleReader::default();
        let (mut line, mut key, mut value) = (1, None, Vec::new());
        for event in parsed.iter() {
            match event {
                EventRef::Newline(ends) => {
                    rule.end(key.take(), &mut value)?;
                    line += lines_in(ends);
                }
                EventRef::SectionHeader { name, subsection_name, .. } => {
                    rule.end(key.take(), &mut value)?;
                    if !name.eq_ignore_ascii_case(b"ready") || subsection_name.is_some() {
                        return Err(at(line, "the only section is [ready]".into()));
                    }
                }
                EventRef::SectionValueName(name) => {
                    rule.end(key.take(), &mut value)?;
                    key = Some((line, name.to_string().to_lowercase(), false));
                }
                EventRef::KeyValueSeparator => {
                    if let Some((_, _, has_value)) = &mut key {
                        *has_value = true;
                    }
                }
                EventRef::Value(text) => value.extend_from_slice(text),
                EventRef::ValueNotDone(_) | EventRef::ValueDone(_) => {
                    return Err(at(line, "a value must be on one line".into()));
                }
                EventRef::Comment { .. } | EventRef::Whitespace(_) => {}
            }
        }
        rule.end(key, &mut value)?;
        rule.finish()
    }
}

/// A key, the line that it is on, and whether a value follows.
type RuleKey = (u32, String, bool);

#[derive(Default)]
struct RuleReader {
    rule: ReadyRule,
    version: bool,
    seen: BTreeSet<String>,
}

impl RuleReader {
    /// Takes a key with its value.
    fn end(&mut self, key: Option<RuleKey>, value: &mut Vec<u8>) -> Result<(), ReadyRuleError> {
        let raw = std::mem::take(value);
        let Some((line, key, has_value)) = key else { return Ok(()) };
        let said = gix::config::value::normalize(raw.as_slice()).to_string();
        let said = said.trim();
        if !has_value || said.is_empty() {
            return Err(at(line, format!("{key} has no value")));
        }
        let is_list = matches!(key.as_str(), "from" | "required");
        if !is_list && !self.seen.insert(key.clone()) {
            return Err(at(line, format!("{key} is there twice")));
        }
        let wrong = |expected: &str| at(line, format!("{key} is {said:?}; it must be {expected}"));
        match key.as_str() {
            "version" if said == VERSION => self.version = true,
            "version" => {
                return Err(at(line, format!("version {said:?} is not known; this postil knows {VERSION}")));
            }
            "approvals" => {
                let count = said.parse().ok().filter(|count| *count <= MAX_APPROVALS);
                self.rule.approvals = count.ok_or_else(|| wrong("a number from 0 to 100"))?;
            }
            "from" => _ = self.rule.from.insert(email(said).ok_or_else(|| wrong("an email"))?),
            "required" => _ = self.rule.required.insert(email(said).ok_or_else(|| wrong("an email"))?),
            "signed" => {
                self.rule.signed = match said {
                    "true" => true,
                    "false" => false,
                    _ => return Err(wrong("true or false")),
                };
            }
            "blockers" | "changes-requested" => {
                let allowed = match said {
                    "none" => false,
                    "any" => true,
                    _ => return Err(wrong("none or any")),
                };
                let field = if key == "blockers" {
                    &mut self.rule.blockers_allowed
                } else {
                    &mut self.rule.changes_allowed
                };
                *field = allowed;
            }
            _ => return Err(at(line, format!("{key} is not known"))),
        }
        Ok(())
    }

    fn finish(self) -> Result<ReadyRule, ReadyRuleError> {
        if !self.version {
            let why = format!("it has no version; the first key must be `version = {VERSION}`");
            return Err(ReadyRuleError { line: None, why });
        }
        let Self { rule, .. } = self;
        let outsider = rule.required.iter().find(|who| !rule.from.is_empty() && !rule.from.contains(*who));
        if let Some(who) = outsider {
            let why = format!("{who} is required, but is not one of those that approvals count from");
            return Err(ReadyRuleError { line: None, why });
        }
        Ok(rule)
    }
}

/// An email as people are compared: in lower case.
fn email(said: &str) -> Option<String> {
    let is_one = said.contains('@') && !said.contains(char::is_whitespace) && !said.contains(['<', '>', ',']);
    is_one.then(|| said.to_lowercase())
}

fn at(line: u32, why: String) -> ReadyRuleError {
    ReadyRuleError { line: Some(line), why }
}

/// How many line ends there are, each `\n` or `\r\n`.
fn lines_in(ends: &[u8]) -> u32 {
    u32::try_from(ends.lines().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_with_what_it_leaves_out() {
        let text = "# who decides\n[ready]\n\tversion = 1\n\tapprovals = 2\n\tfrom = Ann@Example.com\n\tfrom = ben@example.com ; on call\n\trequired = ann@example.com\n\tsigned = true\n";
        let rule = ReadyRule::read(text.as_bytes()).unwrap();
        assert_eq!((rule.approvals, rule.signed, rule.blockers_allowed), (2, true, false));
        assert_eq!(rule.from.into_iter().collect::<Vec<_>>(), ["ann@example.com", "ben@example.com"]);
        assert_eq!(ReadyRule::read(b"[ready]\nversion = 1\n"), Ok(ReadyRule::default()));
        let lax =
            ReadyRule::read(b"[ready]\nversion=1\nblockers = any\nchanges-requested = any\napprovals=0\n");
        let lax = lax.unwrap();
        assert!(lax.blockers_allowed && lax.changes_allowed && lax.approvals == 0);
    }

    #[test]
    fn whatever_is_not_understood_is_an_error_with_its_line() {
        let check = |text: &str, line: Option<u32>, words: &str| {
            let error = ReadyRule::read(text.as_bytes()).unwrap_err();
            assert!(error.line == line && error.why.contains(words), "{text:?}: {error:?}");
        };
        check("", None, "no version");
        check("approvals = 2\n[ready]\nversion = 1\n", Some(1), "must begin with [ready]");
        check("# rule\n\nx\n[ready]\nversion = 1\n", Some(3), "must begin with [ready]");
        check("[ready]\napprovals = 0\n", None, "no version");
        check("[ready]\nversion = 2\n", Some(2), "version \"2\" is not known");
        check("[ready]\nversion = 1\napproval = 3\n", Some(3), "approval is not known");
        check("[ready]\nversion = 1\n\n\napprovals = two\n", Some(5), "must be a number");
        check("[ready]\nversion = 1\napprovals = 101\n", Some(3), "must be a number");
        check("[ready]\nversion = 1\napprovals = -1\n", Some(3), "must be a number");
        check("[ready]\nversion = 1\napprovals\n", Some(3), "approvals has no value");
        check("[ready]\nversion = 1\napprovals = 2\napprovals = 0\n", Some(4), "there twice");
        check("[ready]\nversion = 1\napprovals = 1\\\n0\n", Some(3), "on one line");
        check("[ready]\nversion = 1\nsigned = yes\n", Some(3), "true or false");
        check("[ready]\nversion = 1\nblockers = few\n", Some(3), "none or any");
        check("[ready]\nversion = 1\nfrom = ann, ben@example.com\n", Some(3), "an email");
        check("[ready]\nversion = 1\n[include]\npath = x\n", Some(3), "[ready]");
        check("[ready \"main\"]\nversion = 1\n", Some(1), "[ready]");
        check("[ready]\nversion = 1\n<<<<<<< ours\n", Some(3), "syntax");
        check("[ready]\nversion = 1\nrequired = a@b\nfrom = c@d\n", None, "a@b is required");
        let long = format!("[ready]\nversion = 1\n#{}", "x".repeat(MAX_RULE_BYTES));
        check(&long, None, "too large");
    }
}
