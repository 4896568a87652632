//! Real editors show threads at the right lines: Neovim, Helix and Emacs, where `.ci/install-editors` installed them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::finished::Finished;
use crate::support::real_editors::{emacs, helix, installed, neovim, setup};
use crate::support::tmux::Tmux;
use crate::support::world::{Checkout, World};

/// Ann, with forty lines, the tenth of which has a thread.
fn ann(world: &World) -> Checkout<'_> {
    let ann = world.repository("ann");
    let text: String = (1..=40).map(|line| format!("let value_{line} = compute({line});\n")).collect();
    ann.write("a.txt", &text);
    ann.commit("first");
    ann.postil("comment a.txt:10 -m 'why ten?'").code(0);
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
    let Some(editors) = installed() else { return };
    let world = World::new();
    let ann = ann(&world);
    let config = world.home().join("init.lua");
    fs::write(&config, setup(&editors, &ann, "neovim")).expect("a home can be written");
    let mut command = neovim(&editors, &ann, &script("neovim.lua"));
    expect(command.arg("-u").arg(&config), "all steps are right");
}

#[test]
fn the_plug_in_of_neovim_writes_in_a_split() {
    let Some(editors) = installed() else { return };
    let world = World::new();
    let ann = ann(&world);
    let config = world.home().join("init.lua");
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/nvim");
    fs::write(&config, format!("vim.opt.rtp:append('{}')\n", plugin.display()))
        .expect("a home can be written");
    let mut command = neovim(&editors, &ann, &script("plugin.lua"));
    expect(command.arg("-u").arg(&config), "all commands work");
    let listed = ann.postil("list").code(0).stdout();
    assert!(listed.contains("why ten?") && !listed.contains("from the split"), "{listed}");
}

#[test]
fn emacs_shows_threads_where_they_are_after_every_step() {
    let Some(editors) = installed() else { return };
    let world = World::new();
    let ann = ann(&world);
    fs::write(world.home().join("setup.el"), setup(&editors, &ann, "emacs")).expect("a home can be written");
    expect(&mut emacs(&editors, &ann, &script("emacs.el")), "all steps are right");
}

#[test]
fn helix_shows_threads_and_sends_a_reply_that_is_saved() {
    let Some(editors) = installed() else { return };
    let world = World::new();
    let ann = ann(&world);
    // Helix has no language for text; a language that it knows decides about the servers.
    ann.git("mv a.txt a.md");
    ann.commit("markdown");
    let config = world.home().join(".config/helix");
    fs::create_dir_all(&config).expect("a home can be written");
    fs::write(config.join("languages.toml"), setup(&editors, &ann, "helix")).expect("a home can be written");
    let settings = "[editor]\nend-of-line-diagnostics = \"hint\"\n";
    fs::write(config.join("config.toml"), settings).expect("a home can be written");
    let Some(terminal) = Tmux::open(&world, &ann) else { return };
    terminal.begin(&format!("cd ann; {}", helix(&editors, "a.md")));
    terminal.until_line("10 ", "ann: why ten?");
    terminal.keys(&["O", "new line", "Escape"]);
    terminal.until_line("11 ", "ann: why ten?");
    terminal.keys(&["11G", "x", "d"]);
    terminal.until_line("1 ", "ann: why ten? (orphaned)");
    terminal.keys(&["u"]);
    terminal.until_line("11 ", "ann: why ten?");
    terminal.keys(&[" ", "a"]);
    terminal.until_line("Reply to", "");
    terminal.keys(&["Enter"]);
    terminal.until_line("Save this file", "");
    terminal.keys(&["ibecause", "Escape", ":w", "Enter"]);
    terminal.until_line("saved as", "");
    terminal.keys(&[":bc", "Enter"]);
    terminal.until_line("11 ", "ann: why ten? (+1)");
    terminal.keys(&[":q!", "Enter"]);
    let shown = ann.postil("show @").code(0).stdout();
    assert!(shown.contains("because"), "{shown}");
}
