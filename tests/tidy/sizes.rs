//! Files stay short, and the `mod.rs` of a room only lists what is in it.

use crate::code;
use crate::source::{Complaint, Source};

/// A file past this has a second subject, which deserves a file of its own.
const MAX_LINES: usize = 600;

/// What may begin an item of a `mod.rs`, besides attributes.
const LISTING: [&str; 3] = ["mod", "use", "pub"];

/// Complains about a file with too many lines outside its test modules.
pub fn too_long(source: &Source) -> Vec<Complaint> {
    let lines = |text: &str| text.lines().count();
    let tests: usize =
        code::test_modules(&source.text).into_iter().map(|module| lines(&source.text[module])).sum();
    let production = lines(&source.text) - tests;
    let complaint = format!("{production} production lines; {MAX_LINES} are the most");
    (production > MAX_LINES).then(|| source.complain(0, complaint)).into_iter().collect()
}

/// Complains about anything in a `mod.rs` that is neither a module nor a re-export.
pub fn logic_in_mod(source: &Source) -> Vec<Complaint> {
    if source.name() != "mod.rs" {
        return Vec::new();
    }
    let tokens = code::tokens(&source.text);
    let tests = code::test_modules(&source.text);
    let mut complaints = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let token = tokens[index];
        if let Some(module) = tests.iter().find(|module| module.contains(&token.at)) {
            index += tokens[index..].iter().take_while(|token| module.contains(&token.at)).count();
        } else if token.text == "#" {
            let bracket = index + 1 + usize::from(code::says(&tokens[index + 1..], &["!"]));
            index = code::closing(&tokens, bracket).unwrap_or(bracket) + 1;
        } else {
            let item: Vec<&str> =
                tokens[index..].iter().map(|token| token.text).take_while(|text| *text != ";").collect();
            if !is_listing(&item) {
                complaints
                    .push(source.complain(token.at, "logic in a `mod.rs`; give it a file with its name"));
                break;
            }
            index += item.len() + 1;
        }
    }
    complaints
}

fn is_listing(item: &[&str]) -> bool {
    const LOGIC: [&str; 10] =
        ["fn", "struct", "enum", "union", "trait", "impl", "const", "static", "type", "macro_rules"];
    let opens_a_block = item.contains(&"mod") && item.contains(&"{");
    item.first().is_some_and(|first| LISTING.contains(first))
        // A module may be called `union`, which is a keyword only before the name of a type.
        && !item.iter().any(|word| LOGIC.contains(word) && !item.ends_with(&["mod", word]))
        && !opens_a_block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        let long = "fn f() {}\n".repeat(MAX_LINES + 1);
        assert_eq!(too_long(&Source::new("core/src/x.rs", &long)).len(), 1);
        assert!(too_long(&Source::new("core/src/x.rs", &long[10..])).is_empty());
    }

    #[test]
    fn the_lines_of_test_modules_do_not_count() {
        let tests = "\n    fn t() {}".repeat(MAX_LINES);
        let text = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{{tests}\n}}\n");
        assert!(too_long(&Source::new("core/src/x.rs", &text)).is_empty());
    }

    fn check_mod(text: &str, complaints: usize) {
        assert_eq!(logic_in_mod(&Source::new("core/src/git/mod.rs", text)).len(), complaints, "{text}");
    }

    #[test]
    fn a_mod_rs_lists_modules_and_re_exports() {
        check_mod(
            "//! Docs.\n#![warn(x)]\n#[doc(hidden)]\npub mod a;\npub(crate) mod b;\npub use a::{A, B};\n",
            0,
        );
        check_mod("pub(super) mod union;\n", 0);
        check_mod("mod a;\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\nmod b;\n", 0);
    }

    #[test]
    fn logic_in_a_mod_rs_is_found() {
        check_mod("mod a;\npub fn f() {}\n", 1);
        check_mod("mod a;\nimpl a::A { fn f() {} }\n", 1);
        check_mod("pub struct A;\n", 1);
        check_mod("pub const A: u8 = 1;\n", 1);
        check_mod("mod inline { use super::x; }\n", 1);
        check_mod("make_ids!(A, B);\n", 1);
        check_mod("macro_rules! m { () => {} }\n", 1);
    }
}
