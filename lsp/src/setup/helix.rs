//! The languages of an installed Helix, each with the servers that it has by default.
//!
//! Helix has its `languages.toml` inside of its program, as text. It is looked for there, because the servers of a
//! language cannot be added to, only replaced. Some distributions start the program by a script, which names it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// What begins a language.
const LANGUAGE: &[u8] = b"\n[[language]]\n";

/// A longer part of a program is not an entry of a language.
const MAX_ENTRY_BYTES: usize = 8192;

/// A script that only starts a program is not longer.
const MAX_SCRIPT_BYTES: usize = 8192;

/// What to write if the program is not there.
const UNKNOWN: &str = "
# Helix was not found, so its languages are not known. An entry for one language, with the servers that it has already:
# [[language]]
# name = \"rust\"
# language-servers = [\"rust-analyzer\", \"postil\"]
";

/// An entry for each language of the Helix at this path.
pub(super) fn languages(program: Option<&Path>) -> String {
    let content = program.and_then(|program| fs::read(program).ok()).unwrap_or_default();
    let entries = match script_of(&content) {
        Some(script) => programs_in(script).map(|content| entries(&content)).find(|found| !found.is_empty()),
        None => Some(entries(&content)),
    };
    let entries = entries.unwrap_or_default();
    if entries.is_empty() {
        return UNKNOWN.to_owned();
    }
    let mut text = String::new();
    for HelixLanguage { name, servers } in entries {
        let between = if servers.is_empty() { "" } else { ", " };
        let _ = write!(
            text,
            "\n[[language]]\nname = \"{name}\"\nlanguage-servers = [{servers}{between}\"postil\"]\n"
        );
    }
    text
}

/// The text of a script; `None` for any other program.
fn script_of(content: &[u8]) -> Option<&str> {
    let is_script = content.starts_with(b"#!") && content.len() <= MAX_SCRIPT_BYTES;
    str::from_utf8(content).ok().filter(|_| is_script)
}

/// What is in the files that a script names by their whole path.
fn programs_in(script: &str) -> impl Iterator<Item = Vec<u8>> {
    let words = script.split(|c: char| c.is_whitespace() || "\"'`=;".contains(c));
    let files = words.filter(|word| Path::new(word).is_absolute() && Path::new(word).is_file());
    files.filter_map(|file| fs::read(file).ok())
}

/// A language, with its list of servers as it is written, without the brackets.
#[derive(Debug, PartialEq, Eq)]
struct HelixLanguage {
    name: String,
    servers: String,
}

fn entries(content: &[u8]) -> Vec<HelixLanguage> {
    let mut found: Vec<HelixLanguage> = Vec::new();
    let mut rest = content;
    while let Some(at) = rest.windows(LANGUAGE.len()).position(|window| window == LANGUAGE) {
        rest = &rest[at + LANGUAGE.len() - 1..];
        let ahead = &rest[..rest.len().min(MAX_ENTRY_BYTES)];
        let end =
            ahead.windows(2).skip(1).position(|window| window == b"\n[").map_or(ahead.len(), |end| end + 1);
        let entry = ahead[..end].utf8_chunks().next().map(|chunk| chunk.valid());
        found.extend(
            entry.and_then(entry_of).filter(|entry| found.iter().all(|known| known.name != entry.name)),
        );
    }
    found
}

fn entry_of(text: &str) -> Option<HelixLanguage> {
    let value = |key: &str| {
        let line = text.lines().find(|line| line.split('=').next().is_some_and(|word| word.trim() == key))?;
        let at = line.as_ptr() as usize - text.as_ptr() as usize;
        Some(text[at..].split_once('=')?.1.trim_start())
    };
    let name = value("name")?.strip_prefix('"')?.split('"').next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.+#".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let servers = value("language-servers").and_then(list).unwrap_or_default();
    Some(HelixLanguage { name: name.to_owned(), servers })
}

/// What is between the brackets of a list, in one line.
fn list(text: &str) -> Option<String> {
    let mut depth = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let inside: Vec<&str> = text.strip_prefix('[')?[..end - 1].lines().map(str::trim).collect();
    Some(inside.join(" ").trim().trim_end_matches(',').trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use postil_testkit::Sandbox;

    use super::*;

    #[test]
    fn languages_are_found_in_a_program_with_their_servers() {
        let content = b"\x7fELF\0\xff...use-grammars = 1\n[[language]]\nname = \"rust\"\nscope = \"x\"\n\
            language-servers = [ \"rust-analyzer\" ]\nindent = { tab-width = 4 }\n\n[language.debugger]\nname = \"lldb\"\n\
            \n[[grammar]]\nname = \"g\"\n\n[[language]]\nname = \"go\"\nlanguage-servers = [\n  \"gopls\",\n  { name = \
            \"lint\", only-features = [\"format\"] },\n]\n\n[[language]]\nname = \"adl\"\n\0\0[[language]]\n\xff";
        let entry = |name: &str, servers: &str| HelixLanguage { name: name.into(), servers: servers.into() };
        assert_eq!(
            entries(content),
            [
                entry("rust", "\"rust-analyzer\""),
                entry("go", "\"gopls\", { name = \"lint\", only-features = [\"format\"] }"),
                entry("adl", ""),
            ]
        );
        assert_eq!(entries(b""), []);
    }

    #[test]
    fn a_script_leads_to_the_program_that_it_starts() {
        let folder = Sandbox::new();
        let (program, script) = (folder.path().join("hx-wrapped"), folder.path().join("hx"));
        fs::write(&program, b"\x7fELF\0\n[[language]]\nname = \"adl\"\n\0").expect("it can be written");
        let text = format!("#!/bin/sh\nHELIX_RUNTIME=\"/nowhere\" exec \"{}\" \"$@\"\n", program.display());
        fs::write(&script, text).expect("it can be written");
        assert!(languages(Some(&script)).contains("name = \"adl\"\nlanguage-servers = [\"postil\"]"));
        fs::write(&script, "#!/bin/sh\nexec hx\n").expect("it can be written");
        assert!(languages(Some(&script)).contains("was not found"));
    }

    #[test]
    fn without_helix_one_entry_is_shown_as_an_example() {
        assert!(languages(None).contains("was not found"));
        assert!(languages(Some(Path::new("/nowhere"))).contains("was not found"));
    }
}
