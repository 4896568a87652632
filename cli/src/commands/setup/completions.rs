//! `postil completions`, and the ids that shells complete.

use std::collections::BTreeSet;
use std::io::Write;

use clap_complete::Shell as Clap;
use postil_protocol::{List, ReviewList, Scope};

use crate::commands::Context;
use crate::failure::Failure;
use crate::render::line;

/// Print a shell completion script
///
/// Examples:
///
///     postil completions bash > ~/.local/share/bash-completion/completions/postil
///     postil completions zsh > ~/.zfunc/_postil
///     postil completions fish > ~/.config/fish/completions/postil.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionsArgs {
    /// Shell to write the script for
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
        Shell::Bash => {
            let ids = with_commands(BASH_IDS, command);
            let ids = ids.replace("REVS", &options(command, |arg| is_named(arg, "REV")));
            format!("{script}{}", ids.replace("VALUED", &options(command, |arg| !is_named(arg, "REV"))))
        }
        Shell::Fish => format!("{script}{}", with_commands(FISH_IDS, command)),
        Shell::Zsh => with_ids_of_zsh(&script),
    };
    out.write_all(script.as_bytes()).map_err(Failure::output)
}

/// Names the commands whose words are ids, and those below `review` whose words are reviews.
fn with_commands(script: &str, command: &clap::Command) -> String {
    let reviews = command.find_subcommand("review").map(|review| taking(review, is_review));
    script.replace("COMMANDS", &taking(command, is_id)).replace("JUDGED", &reviews.unwrap_or_default())
}

/// The names of the commands below `command` of which a word has such a help.
fn taking(command: &clap::Command, is_meant: fn(&str) -> bool) -> String {
    let takes = |sub: &&clap::Command| {
        let mut words = sub.get_positionals().filter_map(clap::Arg::get_help);
        words.any(|help| is_meant(&help.to_string()))
    };
    let names = command.get_subcommands().filter(takes);
    let names = names.flat_map(|sub| std::iter::once(sub.get_name()).chain(sub.get_all_aliases()));
    names.collect::<Vec<_>>().join(" ")
}

/// Whether the help of a word says that it is the id of a thread or of a comment.
fn is_id(help: &str) -> bool {
    help.contains("a unique prefix is enough")
}

/// Whether the help of a word says that it is a review.
fn is_review(help: &str) -> bool {
    help.contains("ID or branch")
}

/// The options of a command, and of those below it, that take a value and are wanted.
fn options(command: &clap::Command, wanted: fn(&clap::Arg) -> bool) -> String {
    let mut found = BTreeSet::new();
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands());
        for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values() && wanted(arg)) {
            found.extend(arg.get_long().map(|long| format!("--{long}")));
            found.extend(arg.get_short().map(|short| format!("-{short}")));
        }
    }
    found.into_iter().collect::<Vec<_>>().join(" ")
}

fn is_named(arg: &clap::Arg, name: &str) -> bool {
    arg.get_value_names().is_some_and(|names| names.iter().any(|known| known == name))
}

/// Completes ids with a function, which is inserted before the end of the generated script.
///
/// What clap writes has no room for a function of one's own: each such word is known by its help.
fn with_ids_of_zsh(script: &str) -> String {
    let mut with_ids = String::with_capacity(script.len() + ZSH_IDS.len());
    for line in script.lines() {
        let is_word = ["':", "'*:"].iter().any(|mark| line.starts_with(mark));
        let is_review = |word: &str| word.starts_with("'--review=") || is_word && is_review(word);
        match line.strip_suffix(":_default' \\") {
            Some(word) if is_review(word) => with_ids.extend([word, ":_postil_reviews' \\"]),
            Some(word) if is_word && is_id(word) => {
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

/// Writes the short ids of all threads or of all reviews, each with a few words where `described`.
pub fn ids(of: Of, described: Described, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let ids: Vec<(String, String)> = match of {
        Of::Threads => {
            let reply = session.ask(List { scope: Scope::All, ..List::default() })?;
            let words = |text: &str| text.lines().next().unwrap_or_default().to_owned();
            let told = reply.threads.into_iter();
            told.map(|thread| {
                (thread.short, thread.comments.first().map_or_else(String::new, |first| words(&first.text)))
            })
            .collect()
        }
        Of::Reviews => {
            let reply = session.ask(ReviewList::default())?;
            reply.reviews.into_iter().map(|review| (review.short, review.title)).collect()
        }
    };
    for (id, words) in &ids {
        match described {
            Described::No => screen.line(id)?,
            Described::Yes => screen.line(format!("{id}\t{}", line(words.as_bytes())))?,
        }
    }
    screen.close()
}

/// Whose ids are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Those of threads, in the order of the list.
    Threads,
    /// Those of reviews, the newest first.
    Reviews,
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
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}" at where=() command= below= found=
    for ((at = 1; at < COMP_CWORD; at++)); do
        case "${COMP_WORDS[at]}" in
            -C | --git-dir | --work-tree) where+=("${COMP_WORDS[at]}" "${COMP_WORDS[++at]}") ;;
            -*) ;;
            *) if [[ -z $command ]]; then command="${COMP_WORDS[at]}"; else : "${below:=${COMP_WORDS[at]}}"; fi ;;
        esac
    done
    if [[ $word == -* ]]; then
        :
    elif [[ $before == -* && " REVS " == *" $before "* ]]; then
        found="HEAD $(git "${where[@]}" for-each-ref --format='%(refname:short)' refs/heads refs/remotes refs/tags 2>/dev/null)"
    elif [[ $before != --review && $before == -* && " VALUED " == *" $before "* ]]; then
        :
    elif [[ $before == --review || $command == review && " JUDGED " == *" $below "* ]]; then
        found="$(postil "${where[@]}" ids --reviews 2>/dev/null)"
    elif [[ -n $command && " COMMANDS " == *" $command "* ]]; then
        found="@ $(postil "${where[@]}" ids 2>/dev/null)"
    fi
    COMPREPLY=($(compgen -W "$found" -- "$word"))
    ((${#COMPREPLY[@]})) && return
    _postil "$@"
}
_git_postil() {
    local at where=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        case "${COMP_WORDS[at]}" in
            postil) break ;;
            -C | --git-dir | --work-tree) where+=("${COMP_WORDS[at]}" "${COMP_WORDS[++at]}") ;;
        esac
    done
    local rest=("${COMP_WORDS[@]:at + 1}") COMP_CWORD=$((COMP_CWORD - at + ${#where[@]})) COMP_WORDS=()
    COMP_WORDS=(postil "${where[@]}" "${rest[@]}")
    _postil_or_ids postil "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}
complete -F _postil_or_ids -o bashdefault -o default postil git-postil
"#;

/// Completes ids with a few words about each, in the order of the list.
const ZSH_IDS: &str = r#"(( $+functions[_postil_ids] )) ||
_postil_ids() {
    local -a ids
    ids=('@:the newest comment')
    _postil_described
}

(( $+functions[_postil_reviews] )) ||
_postil_reviews() {
    local -a ids
    _postil_described --reviews
}

(( $+functions[_postil_described] )) ||
_postil_described() {
    local line
    for line in "${(@f)$(postil ids $@ --described 2>/dev/null)}"; do
        [[ -n $line ]] && ids+=("${line%%$'\t'*}:${line#*$'\t'}")
    done
    _describe -V -t ids id ids
}

"#;

/// Completes ids with a few words about each.
const FISH_IDS: &str = r"
complete -c postil -n 'not __fish_seen_subcommand_from review; and __fish_seen_subcommand_from COMMANDS' -f -a '@' -d 'the newest comment'
complete -c postil -n 'not __fish_seen_subcommand_from review; and __fish_seen_subcommand_from COMMANDS' -f -a '(postil ids --described 2>/dev/null)'
complete -c postil -n '__fish_seen_subcommand_from review; and __fish_seen_subcommand_from JUDGED' -f -a '(postil ids --reviews --described 2>/dev/null)'
";

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    #[test]
    fn commands_that_take_ids_and_reviews_are_known_by_the_help_of_their_words() {
        let word = |help: &'static str| Arg::new("of").help(help);
        let command = Command::new("postil")
            .subcommand(
                Command::new("withdraw").alias("rm").arg(word("Comment ID (a unique prefix is enough)")),
            )
            .subcommand(Command::new("list").arg(word("Only files below this path")))
            .subcommand(Command::new("show").arg(word("Review ID or branch")));
        assert_eq!(taking(&command, is_id), "withdraw rm");
        assert_eq!(taking(&command, is_review), "show");
    }
}
