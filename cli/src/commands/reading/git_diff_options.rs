//! The options of `git diff` that `postil diff` passes on, in one table.
//!
//! Only those are here under which a diff stays one that threads can be put into, or which print no lines at all. A
//! new one is a row; what it means is git's to know.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};

use crate::render::HunkForm;

/// The heading of these options in the help.
const HEADING: &str = "Options of git diff";

/// An option of git.
struct GitDiffOption {
    long: &'static str,
    short: Option<char>,
    value: OptionValue,
    prints: OptionPrints,
    help: &'static str,
}

/// Whether an option has a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionValue {
    None,
    /// `--name=VALUE`, or the name alone.
    Optional(&'static str),
    Required(&'static str),
}

/// What a diff with an option consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionPrints {
    /// Lines with marks, as without it.
    Lines,
    /// Lines in which words are marked.
    Words,
    /// Names and numbers, in place of lines.
    Summary,
    /// Lines, besides a summary.
    Patch,
    /// Something that git does not make, of which the lines cannot be counted.
    Foreign,
}

const fn row(
    long: &'static str,
    short: Option<char>,
    value: OptionValue,
    prints: OptionPrints,
    help: &'static str,
) -> GitDiffOption {
    GitDiffOption { long, short, value, prints, help }
}

use OptionPrints::{Foreign, Lines, Patch, Summary, Words};
use OptionValue::{None as Bare, Optional, Required};

const OPTIONS: [GitDiffOption; 32] = [
    row("patch", Some('p'), Bare, Patch, "Print the diff too, with `--stat` and the like"),
    row("stat", None, Optional("WIDTH"), Summary, "Print the number of changed lines of each file"),
    row("shortstat", None, Bare, Summary, "Print only the last line of `--stat`"),
    row("numstat", None, Bare, Summary, "Print the numbers of added and deleted lines, for scripts"),
    row("summary", None, Bare, Summary, "Print new, deleted and renamed files and changed modes"),
    row("name-only", None, Bare, Summary, "Print only the names of changed files"),
    row(
        "name-status",
        None,
        Bare,
        Summary,
        "Print only the names of changed files and what happened to them",
    ),
    row("word-diff", None, Optional("MODE"), Words, "Mark changed words instead of lines"),
    row("word-diff-regex", None, Required("REGEX"), Words, "Mark changed words; a word is what matches this"),
    row("color-words", None, Optional("REGEX"), Words, "Mark changed words with colors alone"),
    row("ignore-all-space", Some('w'), Bare, Lines, "Ignore whitespace"),
    row("ignore-space-change", Some('b'), Bare, Lines, "Ignore changes in the amount of whitespace"),
    row("ignore-space-at-eol", None, Bare, Lines, "Ignore whitespace at the ends of lines"),
    row("ignore-cr-at-eol", None, Bare, Lines, "Ignore carriage returns at the ends of lines"),
    row("ignore-blank-lines", None, Bare, Lines, "Ignore lines that are blank"),
    row("function-context", Some('W'), Bare, Lines, "Show whole functions around each change"),
    row(
        "inter-hunk-context",
        None,
        Required("LINES"),
        Lines,
        "Join hunks with at most so many lines between them",
    ),
    row(
        "diff-algorithm",
        None,
        Required("NAME"),
        Lines,
        "Use this algorithm (myers, minimal, patience, histogram)",
    ),
    row("minimal", None, Bare, Lines, "Look for the smallest diff"),
    row("patience", None, Bare, Lines, "Use the algorithm `patience`"),
    row("histogram", None, Bare, Lines, "Use the algorithm `histogram`"),
    row("find-renames", Some('M'), Optional("PERCENT"), Lines, "Detect renamed files"),
    row("find-copies", None, Optional("PERCENT"), Lines, "Detect copied files too"),
    row("no-renames", None, Bare, Lines, "Do not detect renamed files"),
    row(
        "diff-filter",
        None,
        Required("LETTERS"),
        Lines,
        "Only files that were added (A), deleted (D), modified (M), renamed (R), …",
    ),
    row("color-moved", None, Optional("MODE"), Lines, "Color moved lines differently"),
    row("binary", None, Bare, Lines, "Print binary files too, so that the diff can be applied"),
    row("full-index", None, Bare, Lines, "Print whole object ids"),
    row("text", Some('a'), Bare, Lines, "Treat all files as text"),
    row("no-prefix", None, Bare, Lines, "Print names of files without a/ and b/"),
    row("textconv", None, Bare, Foreign, "Compare files as their `diff.*.textconv` shows them"),
    row("ext-diff", None, Bare, Foreign, "Print what the configured external diff prints"),
];

/// The options that were given.
#[derive(Clone, Debug, Default)]
pub struct GitDiffOptions {
    given: Vec<(&'static str, OsString)>,
}

impl GitDiffOptions {
    /// The words for git.
    pub fn words(&self) -> impl Iterator<Item = &OsString> {
        self.given.iter().map(|(_, word)| word)
    }

    /// The first one, as it is typed.
    pub fn first(&self) -> Option<&'static str> {
        self.given.first().map(|(long, _)| *long)
    }

    /// Whether an option was given.
    pub fn has(&self, long: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == long)
    }

    fn prints(&self, what: OptionPrints) -> bool {
        OPTIONS.iter().any(|option| option.prints == what && self.has(option.long))
    }

    /// Whether lines are printed, which threads can be put between.
    pub fn prints_lines(&self) -> bool {
        self.prints(Patch) || self.prints(Words) || !self.prints(Summary)
    }

    /// How lines are printed.
    pub fn form(&self) -> HunkForm {
        if self.prints(Words) || self.prints(Foreign) { HunkForm::Words } else { HunkForm::Lines }
    }
}

impl clap::Args for GitDiffOptions {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, option| command.arg(option.arg()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl GitDiffOption {
    fn arg(&self) -> Arg {
        let arg = Arg::new(self.long).long(self.long).help(self.help).help_heading(HEADING);
        let arg = match self.short {
            Some(short) => arg.short(short),
            None => arg,
        };
        let with_value = |arg: Arg, name: &'static str| {
            arg.value_name(name).value_parser(clap::value_parser!(OsString)).action(ArgAction::Set)
        };
        match self.value {
            Bare => arg.action(ArgAction::SetTrue),
            Required(name) => with_value(arg, name),
            Optional(name) => {
                with_value(arg, name).num_args(0..=1).require_equals(true).default_missing_value("")
            }
        }
    }

    /// The word for git, if it was given.
    fn word(&self, matches: &ArgMatches) -> Option<OsString> {
        let mut word = OsString::from(format!("--{}", self.long));
        if self.value == Bare {
            return matches.get_flag(self.long).then_some(word);
        }
        let value = matches.get_one::<OsString>(self.long)?;
        if !value.is_empty() {
            word.push("=");
            word.push(value);
        }
        Some(word)
    }
}

impl FromArgMatches for GitDiffOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = OPTIONS.iter().filter_map(|option| Some((option.long, option.word(matches)?)));
        Ok(Self { given: given.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
