//! All tables, in the order in which names are looked up.

use super::{build, c_family, data, functional, managed, scripts, styles, systems, text, web};
use crate::language::Language;

/// All languages.
pub(crate) static ALL: [&Language; 47] = [
    &systems::RUST,
    &systems::GO,
    &systems::ZIG,
    &systems::SWIFT,
    &c_family::C,
    &c_family::CPP,
    &c_family::OBJECTIVE_C,
    &c_family::CSHARP,
    &c_family::DART,
    &managed::JAVA,
    &managed::KOTLIN,
    &managed::SCALA,
    &managed::GROOVY,
    &scripts::PYTHON,
    &scripts::RUBY,
    &scripts::PERL,
    &scripts::SHELL,
    &scripts::LUA,
    &scripts::R,
    &scripts::JULIA,
    &scripts::POWERSHELL,
    &functional::HASKELL,
    &functional::ELIXIR,
    &functional::ERLANG,
    &functional::OCAML,
    &functional::CLOJURE,
    &web::JAVASCRIPT,
    &web::TYPESCRIPT,
    &web::PHP,
    &web::HTML,
    &web::XML,
    &styles::CSS,
    &styles::SCSS,
    &data::JSON,
    &data::YAML,
    &data::TOML,
    &data::INI,
    &data::SQL,
    &data::PROTOBUF,
    &data::GRAPHQL,
    &build::MAKEFILE,
    &build::DOCKERFILE,
    &build::CMAKE,
    &build::HCL,
    &build::NIX,
    &text::MARKDOWN,
    &text::DIFF,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_word_of_a_table_is_found_and_named_once() {
        for language in ALL {
            let mut seen = Vec::new();
            for word in language.words.all() {
                assert!(language.words.class(word.as_bytes()).is_some(), "{language:?}: {word}");
                assert!(!seen.contains(&word), "{language:?}: {word} is there twice");
                seen.push(word);
            }
            assert!(language.words.len() <= 200, "{language:?} has too many words for a quick look-up");
        }
    }

    #[test]
    fn a_name_leads_to_one_language() {
        let mut owners: BTreeMap<&str, &Language> = BTreeMap::new();
        for language in ALL {
            let names = language.names.extensions.split(' ').chain(language.names.files.split(' '));
            for name in names.filter(|name| !name.is_empty()) {
                let other = owners.insert(name, language);
                assert!(other.is_none(), "{name} is a name of {other:?} and {language:?}");
            }
        }
    }

    #[test]
    fn a_string_has_marks_and_the_longer_ones_come_first() {
        for language in ALL {
            let strings = language.rules.strings;
            assert!(strings.len() < 60, "{language:?}: their places are bits");
            for (at, rule) in strings.iter().enumerate() {
                assert!(!rule.open.is_empty() && !rule.close.is_empty(), "{language:?}");
                let hides = strings[..at].iter().find(|before| {
                    let hashes = before.hashes && !rule.hashes && rule.prefixes.is_empty();
                    before.prefixes == rule.prefixes && rule.open.starts_with(before.open) && !hashes
                });
                assert!(hides.is_none(), "{language:?}: {} is hidden", rule.open);
            }
        }
    }
}
