//! What to put into the configuration of each editor.

use std::path::Path;

use super::helix::languages;

/// An editor that can be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupEditor {
    /// Neovim.
    Neovim,
    /// Helix.
    Helix,
    /// Emacs, with eglot.
    Emacs,
    /// Vim, with ALE.
    Vim,
    /// Zed.
    Zed,
    /// VS Code.
    VsCode,
    /// IDEs of JetBrains, with LSP4IJ.
    JetBrains,
}

/// What stands for the program in the templates.
const PROGRAM: &str = "PROGRAM";

/// The whole configuration of an editor. `program` is how it starts this one; `helix` is the installed program of Helix.
pub fn setup(editor: SetupEditor, program: &str, helix: Option<&Path>) -> String {
    let template = match editor {
        SetupEditor::Neovim => include_str!("../../../editors/setup/neovim.lua"),
        SetupEditor::Helix => include_str!("../../../editors/setup/helix.toml"),
        SetupEditor::Emacs => include_str!("../../../editors/setup/emacs.el"),
        SetupEditor::Vim => include_str!("../../../editors/setup/vim.vim"),
        SetupEditor::Zed => include_str!("../../../editors/setup/zed.json"),
        SetupEditor::VsCode => include_str!("../../../editors/setup/vscode.txt"),
        SetupEditor::JetBrains => include_str!("../../../editors/setup/jetbrains.txt"),
    };
    let mut text = template.replace(PROGRAM, program);
    if editor == SetupEditor::Helix {
        text.push_str(&languages(helix));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setup_names_the_program_and_nothing_is_left_to_fill_in() {
        for editor in [
            SetupEditor::Neovim,
            SetupEditor::Helix,
            SetupEditor::Emacs,
            SetupEditor::Vim,
            SetupEditor::Zed,
            SetupEditor::VsCode,
            SetupEditor::JetBrains,
        ] {
            let text = setup(editor, "/opt/bin/postil", None);
            assert!(text.contains("/opt/bin/postil") && !text.contains(PROGRAM), "{editor:?}: {text}");
        }
    }
}
