//! Real editors show threads at the right lines: Neovim, Helix, Emacs and Vim, where `.ci/install-editors` installed them.
//!
//! Each plays those of the thirty edits in `lsp/tests/lsp/thirty.rs` that it can make, with the configuration that
//! `postil lsp --setup` prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::finished::Finished;
use crate::support::real_editors::{Suite, emacs, helix, installed, neovim, setup, vim};
use crate::support::tmux::Tmux;
use crate::support::world::{Checkout, World};

/// Ann, with forty lines: the tenth and the twentieth have threads. Other files are for edits of their own.
fn ann<'world>(world: &'world World, ending: &str) -> Checkout<'world> {
    let ann = world.repository("ann");
    let text: String =
        (1..=40).map(|line| format!("    let value_{line} = compute({line}, {});\n", line * 7)).collect();
    let other: String =
        (1..=40).map(|line| format!("range_{line} = of_b({line}, {});\n", line * 13)).collect();
    ann.write(&format!("a.{ending}"), &text);
    ann.write(&format!("b.{ending}"), &other);
    ann.write(&format!("s.{ending}"), "one\ntwo\nthree\nfour\n");
    ann.write(&format!("m.{ending}"), "one\ntwo\nthree\nfour\n");
    ann.write(&format!("n.{ending}"), "one\ntwo\nthree\nfour\n");
    ann.write(&format!("e.{ending}"), "first\r\n  😀é𝄞 add(é)\r\nlast\r\n");
    ann.commit("first");
    ann.write("../two", "TWO\n");
    for comment in [
        "comment a.txt:10 -m T",
        "comment a.txt:20 -m U",
        "comment b.txt:10-14 -m R",
        "suggest s.txt:2 --with ../two -m S",
        "comment e.txt:2 -m E",
    ] {
        ann.postil(&comment.replace("txt", ending)).code(0);
    }
    ann
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios/real_editors").join(name)
}

fn expect(command: &mut Command, words: &str) {
    let ended = Finished::run(command);
    let said = ended.code(0).stdout();
    assert!(said.contains(words), "{said}");
}

#[test]
fn neovim_shows_threads_where_they_are_after_every_step() {
    for suite in [Suite::Trixie, Suite::Sid] {
        let Some(editors) = installed(suite) else { continue };
        let world = World::new();
        let ann = ann(&world, "txt");
        let config = world.home().join("init.lua");
        fs::write(&config, setup(&editors, &ann, "neovim")).expect("a home can be written");
        let mut command = neovim(&editors, &ann, &script("neovim.lua"));
        expect(command.arg("-u").arg(&config), "all steps are right");
    }
}

#[test]
fn the_plug_in_of_neovim_writes_in_a_split() {
    for suite in [Suite::Trixie, Suite::Sid] {
        let Some(editors) = installed(suite) else { continue };
        let world = World::new();
        let ann = world.repository("ann");
        let text: String = (1..=40).map(|line| format!("let value_{line} = compute({line});\n")).collect();
        ann.write("a.txt", &text);
        ann.commit("first");
        ann.write("gone.txt", "the only line\n");
        ann.commit("second");
        ann.postil("comment a.txt:10 -m 'why ten?'").code(0);
        ann.postil("comment gone.txt:1 -m 'what was this?'").code(0);
        ann.git("rm -q gone.txt");
        ann.commit("third");
        let config = world.home().join("init.lua");
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/nvim");
        fs::write(&config, format!("vim.opt.rtp:append('{}')\n", plugin.display()))
            .expect("a home can be written");
        let mut command = neovim(&editors, &ann, &script("plugin.lua"));
        expect(command.arg("-u").arg(&config), "all commands work");
        let listed = ann.postil("list").code(0).stdout();
        assert!(listed.contains("why ten?") && !listed.contains("from the split"), "{listed}");
    }
}

#[test]
fn emacs_shows_threads_where_they_are_after_every_step() {
    let Some(editors) = installed(Suite::Trixie) else { return };
    let world = World::new();
    let ann = ann(&world, "txt");
    fs::write(world.home().join("setup.el"), setup(&editors, &ann, "emacs")).expect("a home can be written");
    expect(&mut emacs(&editors, &ann, &script("emacs.el")), "all steps are right");
}

#[test]
fn vim_shows_threads_where_they_are_after_every_step() {
    let Some(editors) = installed(Suite::Vim) else { return };
    let world = World::new();
    let ann = ann(&world, "txt");
    let ale = editors.join("usr/share/vim-ale");
    let begin = format!("set nocompatible rtp^={}\nfiletype plugin on\n", ale.display());
    let config = world.home().join("vimrc");
    fs::write(&config, begin + &setup(&editors, &ann, "vim")).expect("a home can be written");
    Finished::run(&mut vim(&editors, &ann, &config, &script("vim.vim"))).code(0);
    let told = fs::read_to_string(world.home().join("told")).expect("it came to its end");
    assert_eq!(told, "all steps are right\n");
}

#[test]
fn helix_shows_threads_and_sends_a_reply_that_is_saved() {
    for suite in [Suite::Trixie, Suite::Sid] {
        let Some(editors) = installed(suite) else { continue };
        let world = World::new();
        // Helix has no language for text; a language that it knows decides about the servers.
        let ann = ann(&world, "md");
        let config = world.home().join(".config/helix");
        fs::create_dir_all(&config).expect("a home can be written");
        fs::write(config.join("languages.toml"), setup(&editors, &ann, "helix"))
            .expect("a home can be written");
        let settings = "[editor]\nend-of-line-diagnostics = \"hint\"\n";
        fs::write(config.join("config.toml"), settings).expect("a home can be written");
        let Some(terminal) = Tmux::open(&world, &ann) else { return };
        terminal.begin(&format!("cd ann; {}", helix(&editors, "a.md")));
        play(&terminal);
        terminal.keys(&["10G", " ", "a"]);
        terminal.until_line("Reply to", "");
        terminal.keys(&["Enter"]);
        terminal.until_line("Save this file", "");
        terminal.keys(&["ibecause", "Escape"]);
        terminal.until_line("because", "");
        terminal.until_line(" NOR ", "");
        terminal.keys(&[":w", "Enter"]);
        terminal.until_line("saved as", "");
        terminal.keys(&[":bc", "Enter"]);
        terminal.until_numbered(10, "ann: T (+1)");
        // A marker line becomes a comment, and is gone then.
        terminal.keys(&["30G", "O", "postil: who says so?", "Escape"]);
        terminal.until_line("postil: who says so?", "");
        terminal.until_line(" NOR ", "");
        terminal.keys(&[" ", "a"]);
        terminal.until_line("Send this line", "");
        terminal.keys(&["Enter"]);
        terminal.until_numbered(30, "ann: who says so?");
        around(&terminal, &ann);
        elsewhere(&terminal);
        terminal.keys(&[":q!", "Enter"]);
        let listed = ann.postil("list").code(0).stdout();
        assert!(listed.contains("who says so?"), "{listed}");
    }
}

/// Edits in Helix: where both threads are after each of them, and that an undo shows what was before.
fn play(terminal: &Tmux<'_>) {
    let both = |terminal: &Tmux<'_>| {
        terminal.until_numbered(10, "ann: T");
        terminal.until_numbered(20, "ann: U");
    };
    both(terminal);
    for (keys, thread, undone) in [
        // 1 to 18 of the thirty edits, and 25; 6 and 9 are undone ones.
        (&["gg", "O", "new line", "Escape"][..], (11, "ann: T"), 1),
        (&["3G", "x", "x", "d"], (8, "ann: T"), 1),
        (&["10G", "i", "Enter", "Escape"], (11, "ann: T"), 1),
        (&["10G", "A", "Enter", "Escape"], (10, "ann: T"), 1),
        (&["10G", "A", "x", "Escape"], (10, "ann: T (outdated)"), 1),
        (&["10G", ">"], (10, "ann: T (shifted 100 %)"), 1),
        (&["10G", "x", "d"], (1, "ann: T (orphaned)"), 1),
        (&["10G", "x", "d", "30G", "p"], (31, "ann: T (shifted 70 %)"), 2),
        (&["10G", "x", "d", "k", "P"], (9, "ann: T"), 2),
        (&["10G", "x", "y", "p"], (10, "ann: T (shifted 80 %)"), 1),
        (&["10G", "x", "y", "14G", "p", "10G", "x", "d"], (14, "ann: T (shifted 70 %)"), 2),
        (&["%", "c", "x", "Escape"], (1, "ann: U (orphaned)"), 1),
        (&["%", "|", "cat", "Enter"], (10, "ann: T"), 1),
        (&["%", ">"], (10, "ann: T (shifted 100 %)"), 1),
        (&["%", "|", "sed 's/^/  /'", "Enter"], (10, "ann: T (shifted 100 %)"), 1),
        (&["6G", "C", "C", "C", "C", "i", "x", "Escape"], (10, "ann: T (outdated)"), 1),
    ] {
        terminal.keys(keys);
        terminal.until_numbered(thread.0, thread.1);
        // A key right behind Escape would be another one.
        terminal.until_line(" NOR ", "");
        terminal.keys(&vec!["u"; undone]);
        both(terminal);
        terminal.keys(&[","]);
    }
}

/// Types a text, and ends it with Escape; a key right behind that would be another one.
fn typed(terminal: &Tmux<'_>, keys: &[&str]) {
    terminal.keys(keys);
    terminal.until_line(" INS ", "");
    terminal.keys(&["Escape"]);
    terminal.until_line(" NOR ", "");
}

/// What happens around Helix: other programs write, commit, and switch branches.
fn around(terminal: &Tmux<'_>, ann: &Checkout<'_>) {
    let reload = || terminal.keys(&[":reload", "Enter"]);
    let text = ann.git("show HEAD:a.md");
    // The last change is given up.
    reload();
    terminal.until_numbered(10, "ann: T (+1)");
    ann.write("a.md", format!("elsewhere\n{text}"));
    reload();
    terminal.until_numbered(11, "ann: T (+1)");
    // 21: below a changed buffer.
    typed(terminal, &["gg", "O", "unsaved"]);
    ann.write("a.md", &text);
    terminal.until_numbered(12, "ann: T (+1)");
    reload();
    terminal.until_numbered(10, "ann: T (+1)");
    // 22 and 23.
    ann.git("switch -q -c other");
    ann.write("a.md", format!("other branch\n{text}"));
    ann.commit("other");
    reload();
    terminal.until_numbered(11, "ann: T (+1)");
    typed(terminal, &["gg", "O", "unsaved"]);
    terminal.until_numbered(12, "ann: T (+1)");
    ann.git("switch -q main");
    terminal.until_numbered(12, "ann: T (+1)");
    reload();
    terminal.until_numbered(10, "ann: T (+1)");
    // 24: a commit.
    typed(terminal, &["gg", "O", "committed"]);
    terminal.keys(&[":w", "Enter"]);
    terminal.until_line("written", "");
    ann.commit("committed");
    terminal.until_numbered(11, "ann: T (+1)");
}

/// Edits of other files.
fn elsewhere(terminal: &Tmux<'_>) {
    let open = |file: &str| terminal.keys(&[&format!(":o {file}"), "Enter"]);
    let choose = |action: &str| {
        terminal.keys(&[" ", "a"]);
        terminal.until_line(action, "");
        terminal.keys(&["Enter"]);
    };
    // 19: a line inside of a range.
    open("b.md");
    terminal.until_numbered(10, "ann: R");
    typed(terminal, &["12G", "o", "inside"]);
    terminal.until_numbered(10, "ann: R (shifted 100 %)");
    terminal.keys(&["u"]);
    terminal.until_numbered(10, "ann: R");
    // 26: renamed, before git knows the new name.
    terminal.keys(&[":move ./c.md", "Enter"]);
    terminal.until_line("c.md", "");
    terminal.until_numbered(10, "ann: R");
    // 27: cut here, and pasted into a file that is not there yet.
    terminal.keys(&["8G", "7x", "d"]);
    open("new.md");
    terminal.keys(&["P"]);
    terminal.until_numbered(3, "ann: R (shifted 95 %)");
    terminal.keys(&[":bc!", "Enter"]);
    open("c.md");
    terminal.keys(&["u"]);
    terminal.until_numbered(10, "ann: R");
    // 28: a comment on a line that is not saved, which is saved then.
    open("n.md");
    typed(terminal, &["2G", "o", "unsaved"]);
    choose("Comment here");
    terminal.until_line("A comment on", "");
    typed(terminal, &["iV"]);
    terminal.keys(&[":w", "Enter"]);
    terminal.until_line("saved as", "");
    terminal.keys(&[":bc", "Enter"]);
    terminal.until_numbered(3, "ann: V");
    terminal.keys(&[":w", "Enter"]);
    typed(terminal, &["gg", "O", "above"]);
    terminal.until_numbered(4, "ann: V");
    // 29: a suggestion in a changed buffer.
    open("s.md");
    terminal.until_numbered(2, "ann: S");
    typed(terminal, &["gg", "O", "unsaved"]);
    terminal.until_numbered(3, "ann: S");
    terminal.keys(&["3G", " ", "a"]);
    terminal.until_line("Apply the suggestion", "");
    terminal.keys(&["Down", "Down", "Enter"]);
    terminal.until_numbered(3, "TWO  ann: S (outdated)");
    terminal.keys(&["u"]);
    terminal.until_numbered(3, "two  ann: S");
    // 30: emoji and other line ends; the words of the thread are those that its diagnostic selects.
    open("e.md");
    terminal.until_numbered(2, "ann: E");
    typed(terminal, &["gg", "O", "zero"]);
    terminal.until_numbered(3, "ann: E");
    typed(terminal, &["gg", "]d", "c", "X"]);
    terminal.until_numbered(3, "  X");
}
