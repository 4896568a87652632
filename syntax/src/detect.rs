//! Which language a file is in: by its name, else by its first line.

use crate::language::Language;
use crate::languages::ALL;

/// So much of a first line is looked at.
const MAX_SHEBANG: usize = 200;

impl Language {
    /// The language of a file, by its path and, if that does not say it, by a first line `#!` of its text.
    pub fn of_file(path: &[u8], text: &[u8]) -> Option<&'static Self> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        by_name(name).or_else(|| by_first_line(text))
    }

    /// The language that a fence of Markdown names, such as `rust` or `{.python}`.
    pub fn of_fence(info: &str) -> Option<&'static Self> {
        let word = info.trim_start_matches(['{', '.', ' ']);
        let end = word
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | '{' | ':'))
            .unwrap_or(word.len());
        let word = &word[..end];
        let is =
            |names: &str| names.split(' ').any(|name| !word.is_empty() && name.eq_ignore_ascii_case(word));
        ALL.iter().copied().find(|language| {
            let names = &language.names;
            names.name.eq_ignore_ascii_case(word) || is(names.fences) || is(names.extensions)
        })
    }
}

fn by_name(name: &[u8]) -> Option<&'static Language> {
    let is_file = |known: &str| {
        !known.is_empty()
            && match known.strip_suffix('*') {
                Some(start) => {
                    name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
                }
                None => name.eq_ignore_ascii_case(known.as_bytes()),
            }
    };
    let whole = ALL.iter().copied().find(|language| language.names.files.split(' ').any(is_file));
    whole.or_else(|| {
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0)?;
        let extension = &name[dot + 1..];
        if matches!(extension, b"in" | b"orig" | b"rej" | b"bak" | b"tmpl" | b"erb" | b"j2") {
            // `config.h.in`: what is before the dot says it.
            return by_name(&name[..dot]);
        }
        let is = |known: &str| !known.is_empty() && extension.eq_ignore_ascii_case(known.as_bytes());
        ALL.iter().copied().find(|language| language.names.extensions.split(' ').any(is))
    })
}

fn by_first_line(text: &[u8]) -> Option<&'static Language> {
    let line = text.get(..text.len().min(MAX_SHEBANG))?.split(|byte| *byte == b'\n').next()?;
    let named = |name: &str| ALL.iter().copied().find(|language| language.names.name == name);
    if line.starts_with(b"<?php") {
        return named("PHP");
    }
    if line.starts_with(b"<?xml") {
        return named("XML");
    }
    let command = line.strip_prefix(b"#!")?;
    let mut words = command.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut program = base(words.next()?);
    if program == b"env" {
        program = base(words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?);
    }
    let end = program.iter().position(u8::is_ascii_digit).unwrap_or(program.len());
    let program = &program[..end];
    ALL.iter().copied().find(|language| {
        language.names.programs.split(' ').any(|known| !program.is_empty() && known.as_bytes() == program)
    })
}

fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}
