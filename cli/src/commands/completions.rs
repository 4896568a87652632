//! `postil completions`, and the ids that shells complete.

use std::io::Write;

use clap_complete::Shell as Clap;
use postil_core::protocol::{List, Scope};

use super::Context;
use crate::failure::Failure;
use crate::render::line;

/// The commands whose words are ids.
const TAKE_IDS: &str = "reply edit resolve reopen withdraw rm move show log purge apply";

/// Write a script that completes commands, options and ids
///
/// Examples:
///
///     postil completions bash > ~/.local/share/bash-completion/completions/postil
///     postil completions zsh > ~/.zfunc/_postil
///     postil completions fish > ~/.config/fish/completions/postil.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Writes the script for the words of `command`.
pub fn run(args: &CompletionsArgs, command: &mut clap::Command, out: &mut dyn Write) -> Result<(), Failure> {
    let mut script = Vec::new();
    let shell = match args.shell {
        Shell::Bash => Clap::Bash,
        Shell::Zsh => Clap::Zsh,
        Shell::Fish => Clap::Fish,
    };
    clap_complete::generate(shell, command, "postil", &mut script);
    let script = String::from_utf8_lossy(&script);
    let script = match args.shell {
        Shell::Bash => format!("{script}{}", BASH_IDS.replace("COMMANDS", TAKE_IDS)),
        Shell::Fish => format!("{script}{}", FISH_IDS.replace("COMMANDS", TAKE_IDS)),
        Shell::Zsh => with_ids_of_zsh(&script),
    };
    out.write_all(script.as_bytes()).map_err(Failure::output)
}

/// Has the words that are ids completed by a function, which stands before the script's own end.
///
/// What clap writes has no room for a function of one's own: each such word is known by its help.
fn with_ids_of_zsh(script: &str) -> String {
    let mut with_ids = String::with_capacity(script.len() + ZSH_IDS.len());
    for line in script.lines() {
        let is_word = ["':", "'*:"].iter().any(|mark| line.starts_with(mark));
        match line.strip_suffix(":_default' \\") {
            Some(word) if is_word && word.contains("the first digits of") => {
                with_ids.extend([word, ":_postil_ids' \\"]);
            }
            _ if line.starts_with("#compdef ") => with_ids.extend([line, " git-postil"]),
            _ if line.starts_with("if [ \"$funcstack[1]\"") => with_ids.extend([ZSH_IDS, line]),
            _ => with_ids.push_str(line),
        }
        with_ids.push('\n');
    }
    with_ids
}

/// Writes the short ids of all threads, each with a few words where `described`.
pub fn ids(described: Described, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.ask(List { scope: Scope::All, ..List::default() })?;
    for thread in &reply.threads {
        let words = thread.comments.first().and_then(|comment| comment.text.lines().next());
        match described {
            Described::No => screen.line(&thread.short)?,
            Described::Yes => {
                screen.line(format!("{}\t{}", thread.short, line(words.unwrap_or_default().as_bytes())))?;
            }
        }
    }
    screen.close()
}

/// Whether ids come with a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Described {
    /// Alone.
    No,
    /// Each with the beginning of what was said.
    Yes,
}

/// Completes ids before all else; git calls the second function for `git postil`.
const BASH_IDS: &str = r#"
_postil_or_ids() {
    local word="${COMP_WORDS[COMP_CWORD]}" at command=
    for ((at = 1; at < COMP_CWORD; at++)); do
        case " COMMANDS " in *" ${COMP_WORDS[at]} "*) command="${COMP_WORDS[at]}" ;; esac
    done
    if [[ -n "$command" && "$word" != -* ]]; then
        COMPREPLY=($(compgen -W "@ $(postil ids 2>/dev/null)" -- "$word"))
        ((${#COMPREPLY[@]})) && return
    fi
    _postil "$@"
}
_git_postil() { _postil_or_ids "$@"; }
complete -F _postil_or_ids -o bashdefault -o default postil git-postil
"#;

/// Completes ids with a few words about each, in the order of the list.
const ZSH_IDS: &str = r#"(( $+functions[_postil_ids] )) ||
_postil_ids() {
    local -a ids
    local line
    ids=('@:the newest comment')
    for line in "${(@f)$(postil ids --described 2>/dev/null)}"; do
        [[ -n $line ]] && ids+=("${line%%$'\t'*}:${line#*$'\t'}")
    done
    _describe -V -t ids id ids
}

"#;

/// Completes ids with a few words about each.
const FISH_IDS: &str = r"
complete -c postil -n '__fish_seen_subcommand_from COMMANDS' -f -a '@' -d 'the newest comment'
complete -c postil -n '__fish_seen_subcommand_from COMMANDS' -f -a '(postil ids --described 2>/dev/null)'
";
