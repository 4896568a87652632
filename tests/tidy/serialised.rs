//! Types that cross a process or a version live in two rooms: `record` (for ever) and `protocol` (versioned).
//!
//! `bench` reads and writes its own files of cases, and the service those of its undo journal, which nobody else reads.
//! The arguments of an editor's commands are what the language server itself gave to the editor.

use crate::code;
use crate::source::{Complaint, Source};

const HOMES: [&str; 5] = [
    "core/src/record/",
    "protocol/src/",
    "service/src/apply/undo_entry.rs",
    "lsp/src/commands/command.rs",
    "bench/",
];

/// The traits of serde, and those of minicbor by the names under which they are derived.
const TRAITS: [&str; 4] = ["Serialize", "Deserialize", "Encode", "Decode"];

/// Complains about a serialised type outside its two rooms.
pub fn elsewhere(source: &Source) -> Vec<Complaint> {
    if HOMES.iter().any(|home| source.path.starts_with(home)) {
        return Vec::new();
    }
    let tokens = code::tokens(&source.text);
    let mut complaints = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let end = match token.text {
            "derive" => code::closing(&tokens, index + 1),
            "impl" => tokens[index..]
                .iter()
                .position(|later| later.text == "{" || later.text == ";")
                .map(|n| index + n),
            _ => continue,
        };
        for named in &tokens[index..end.unwrap_or(tokens.len())] {
            if TRAITS.contains(&named.text) {
                let complaint = format!("`{}` outside the rooms `record` and `protocol`", named.text);
                complaints.push(source.complain(named.at, complaint));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, complaints: usize) {
        assert_eq!(elsewhere(&Source::new(path, text)).len(), complaints, "{path}: {text}");
    }

    #[test]
    fn a_serialised_type_in_another_room_is_found() {
        check(
            "core/src/review/thread.rs",
            "#[derive(Debug, Serialize, serde::Deserialize)]\nstruct Thread;",
            2,
        );
        check("core/src/review/thread.rs", "#[cfg_attr(x, derive(Serialize))]\nstruct Thread;", 1);
        check("daemon/src/answer.rs", "impl<'de> serde::Deserialize<'de> for Thread {}", 1);
        check("core/src/notes/page.rs", "#[derive(minicbor::Encode)]\nstruct Page;", 1);
    }

    #[test]
    fn the_two_rooms_and_the_benchmarks_may_serialise() {
        for home in ["core/src/record/body.rs", "protocol/src/view.rs", "bench/src/case.rs"] {
            check(home, "#[derive(Serialize)]\nstruct S;", 0);
        }
    }

    #[test]
    fn using_what_is_serialised_elsewhere_is_no_complaint() {
        check("core/src/notes/page.rs", "fn f() -> u8 { g::<A>(); 1 }\n#[derive(Debug)]\nstruct A;", 0);
    }
}
