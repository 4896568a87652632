//! Which language a file or a fence is in.

use postil_syntax::Language;

fn of_file(path: &str, text: &str) -> &'static str {
    Language::of_file(path.as_bytes(), text.as_bytes()).map_or("", Language::name)
}

#[test]
fn a_file_is_known_by_its_name_and_else_by_its_first_line() {
    for (path, text, language) in [
        ("src/lib.rs", "", "Rust"),
        ("a/b.c", "", "C"),
        ("x.H", "", "C"),
        ("x.hpp", "", "C++"),
        ("App.jsx", "", "JavaScript"),
        ("App.tsx", "", "TypeScript"),
        ("Makefile", "", "Makefile"),
        ("Makefile.am", "", "Makefile"),
        ("docker/Dockerfile.dev", "", "Dockerfile"),
        ("Cargo.lock", "", "TOML"),
        (".gitconfig", "", "INI"),
        ("CMakeLists.txt", "", "CMake"),
        ("config.h.in", "", "C"),
        ("notes.txt", "", ""),
        ("README", "", ""),
        ("rs", "", ""),
        (".rs", "", ""),
        ("bin/run", "#!/bin/sh\n", "Shell"),
        ("bin/run", "#!/usr/bin/env -S python3.11 -u\nx", "Python"),
        ("bin/run", "#!/usr/bin/env FOO=1 node\n", "JavaScript"),
        ("bin/run", "#!/usr/bin/unheard-of\n", ""),
        ("bin/run", "#!", ""),
        ("page", "<?php\n", "PHP"),
        ("feed", "<?xml version=\"1.0\"?>", "XML"),
    ] {
        assert_eq!(of_file(path, text), language, "{path}");
    }
}

#[test]
fn a_fence_names_its_language_in_several_ways() {
    let of = |info: &str| Language::of_fence(info).map_or("", Language::name);
    for (info, language) in [
        ("rust", "Rust"),
        ("Rust,no_run", "Rust"),
        ("rs", "Rust"),
        ("c++", "C++"),
        ("cpp", "C++"),
        ("js title=\"x\"", "JavaScript"),
        ("{.python .numberLines}", "Python"),
        ("sh", "Shell"),
        ("diff", "Diff"),
        ("", ""),
        ("unheard-of", ""),
    ] {
        assert_eq!(of(info), language, "{info}");
    }
}
