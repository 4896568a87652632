//! The command line of postil: thin over the rooms of `core` and the daemon.
//!
//! Here are the words of the command line and what ties the rooms together. What a command does is in its own file
//! in `commands`; exit codes are in `exit` alone.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod advice;
mod commands;
mod connect;
mod demo;
pub mod exit;
mod failure;
mod harmless;
mod progress;
mod render;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use postil_client::RepositoryArgs;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use commands::Context;
use commands::completions::{Described, Of};
use exit::Exit;
use failure::{Failure, Kind};
use render::{Colour, Format, Paging, Volume};

/// The heading of options that every command has.
const EVERYWHERE: &str = "Options of every command";

/// What writes scripts, pages, a story or a log, and no results.
const WITHOUT_JSON: [&str; 5] = ["completions", "man", "ids", "demo", "daemon.run"];

/// Keep code-review comments in the repository they talk about
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, arg_required_else_help = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Arguments<C: Subcommand = Command> {
    /// Run as if started in DIR (can be repeated; each is relative to the one before)
    #[arg(short = 'C', value_name = "DIR")]
    directory: Vec<PathBuf>,

    /// Use this git directory instead of looking for one
    #[arg(long, value_name = "DIR")]
    git_dir: Option<PathBuf>,

    /// Take the files from here instead of where the git directory says
    #[arg(long, value_name = "DIR")]
    work_tree: Option<PathBuf>,

    /// Write results as JSON, one object a line
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,

    /// Colour results
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: Colour,

    /// Tell nothing but results and errors
    #[arg(short, long, global = true, help_heading = EVERYWHERE, conflicts_with = "verbose")]
    quiet: bool,

    /// Tell more
    #[arg(short, long, global = true, help_heading = EVERYWHERE)]
    verbose: bool,

    /// Write long results straight to the terminal
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    no_pager: bool,

    #[command(subcommand)]
    command: C,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(commands::init::InitArgs),
    #[command(visible_alias = "add")]
    Comment(commands::comment::CommentArgs),
    Suggest(commands::suggest::SuggestArgs),
    Apply(commands::apply::ApplyArgs),
    #[command(subcommand)]
    Patch(commands::patch::PatchCommand),
    Reply(commands::reply::ReplyArgs),
    Edit(commands::edit::EditArgs),
    Resolve(commands::resolve::ResolveArgs),
    Reopen(commands::reopen::ReopenArgs),
    #[command(visible_alias = "rm")]
    Withdraw(commands::withdraw::WithdrawArgs),
    Move(commands::move_to::MoveArgs),
    #[command(visible_alias = "ls")]
    List(commands::list::ListArgs),
    Show(commands::show::ShowArgs),
    Log(commands::log::LogArgs),
    Diff(commands::diff::DiffArgs),
    #[command(subcommand)]
    Review(commands::review::ReviewCommand),
    Publish(commands::publish::PublishArgs),
    Status(commands::status::StatusArgs),
    Sync(commands::sync::SyncArgs),
    Import(commands::import::ImportArgs),
    Export(commands::export::ExportArgs),
    Doctor(commands::doctor::DoctorArgs),
    Purge(commands::purge::PurgeArgs),
    #[command(subcommand)]
    Hook(commands::hook::HookCommand),
    Watch(commands::watch::WatchArgs),
    Wait(commands::wait::WaitArgs),
    Completions(commands::completions::CompletionsArgs),
    Man(commands::man::ManArgs),
    /// List ids, for shells that complete them
    #[command(hide = true)]
    Ids {
        /// Of reviews instead of threads
        #[arg(long)]
        reviews: bool,
        /// Add a few words about each
        #[arg(long)]
        described: bool,
    },
    Demo(commands::demo::DemoArgs),
    #[command(subcommand)]
    Daemon(commands::daemon::DaemonCommand),
}

/// Runs the command line of this process, under the name by which it was called.
pub fn main(called: &'static str) -> ExitCode {
    let arguments = match parse(called, std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(refusal) => {
            // Help and version go to stdout, the rest to stderr; a reader that is gone needs neither.
            let _ = refusal.print();
            if refusal.use_stderr() && std::env::args_os().any(|word| word == "--json") {
                let _ = writeln!(std::io::stdout(), "{}", render::refused(&usage(&refusal)));
            }
            return if refusal.use_stderr() { Exit::Usage } else { Exit::Success }.into();
        }
    };
    ended(run(arguments))
}

/// Tells how a command ended.
fn ended(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => Exit::Success.into(),
        Err(failure) => {
            let _ = write!(std::io::stderr(), "{failure}");
            Exit::of(&failure).into()
        }
    }
}

/// A command line that makes no sense, as other failures are told.
fn usage(refusal: &clap::Error) -> Failure {
    let told = refusal.to_string();
    // What is missing, or possible, stands on lines of its own below.
    let what: Vec<&str> = told.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let what = what.join(" ");
    let failure = Failure::new(Kind::Usage, what.strip_prefix("error: ").unwrap_or(&what));
    match told.lines().find_map(|line| line.trim_start().strip_prefix("tip: ")) {
        Some(tip) => failure.hint(tip),
        None => failure.hint("`--help` behind the command tells what it takes"),
    }
}

fn parse(called: &'static str, words: impl Iterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let words: Vec<OsString> = words.collect();
    if let Some(arguments) = alone(&words) {
        return Ok(arguments);
    }
    let mut command = Arguments::<Command>::command().name(called).bin_name(called);
    let matches = command.try_get_matches_from_mut(words)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    let asked = spoken(&matches);
    if arguments.json && WITHOUT_JSON.contains(&asked.as_str()) {
        let what = format!("`{}` has no results that could be written as JSON", asked.replace('.', " "));
        return Err(command.error(ErrorKind::ArgumentConflict, what));
    }
    Ok(arguments)
}

/// Reads the words of a command of daily use without building those of all others, which takes longer than all else
/// that it does; `None` where that is no such command, or anything is to be said about its words.
fn alone(words: &[OsString]) -> Option<Arguments> {
    macro_rules! among {
        ($word:expr; $($name:literal $(or $alias:literal)? => $command:ident($args:ty),)*) => {
            match $word {
                $($name $(| $alias)? => {
                    #[derive(Debug, Subcommand)]
                    enum Only {
                        $(#[command(alias = $alias)])?
                        $command($args),
                    }
                    let matches = Arguments::<Only>::command().try_get_matches_from(words).ok()?;
                    let arguments = Arguments::<Only>::from_arg_matches(&matches).ok()?;
                    Some(arguments.with(|Only::$command(args)| Command::$command(args)))
                })*
                _ => None,
            }
        };
    }
    among! { first_word(words)?;
        "list" or "ls" => List(commands::list::ListArgs),
        "show" => Show(commands::show::ShowArgs),
        "status" => Status(commands::status::StatusArgs),
        "comment" or "add" => Comment(commands::comment::CommentArgs),
        "reply" => Reply(commands::reply::ReplyArgs),
        "resolve" => Resolve(commands::resolve::ResolveArgs),
        "apply" => Apply(commands::apply::ApplyArgs),
        "wait" => Wait(commands::wait::WaitArgs),
    }
}

/// The first word that is neither an option nor the value of one. Where it is mistaken, the words make no sense to the
/// one command that it names, and all are asked.
fn first_word(words: &[OsString]) -> Option<&str> {
    let mut words = words.iter().skip(1);
    loop {
        match words.next()?.to_str()? {
            "-C" | "--git-dir" | "--work-tree" | "--color" => drop(words.next()),
            word if word.starts_with('-') => {}
            word => return Some(word),
        }
    }
}

impl<C: Subcommand> Arguments<C> {
    /// The same, with the command as another type.
    fn with<D: Subcommand>(self, command: impl FnOnce(C) -> D) -> Arguments<D> {
        let Self { directory, git_dir, work_tree, json, color, quiet, verbose, no_pager, command: given } =
            self;
        let command = command(given);
        Arguments { directory, git_dir, work_tree, json, color, quiet, verbose, no_pager, command }
    }
}

/// The command that was given, the words of which are tied by dots.
fn spoken(matches: &ArgMatches) -> String {
    let words = std::iter::successors(matches.subcommand(), |(_, below)| below.subcommand());
    words.map(|(word, _)| word).collect::<Vec<_>>().join(".")
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    // Joining an absolute path replaces what came before, as `git -C` has it.
    let directory: PathBuf = arguments.directory.iter().collect();
    let directory = if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory };
    let context = Context {
        at: RepositoryArgs::new(directory, arguments.git_dir, arguments.work_tree),
        colour: arguments.color,
        format: if arguments.json { Format::Json } else { Format::Text },
        volume: match (arguments.quiet, arguments.verbose) {
            (true, _) => Volume::Quiet,
            (false, true) => Volume::Verbose,
            (false, false) => Volume::Usual,
        },
        paging: if arguments.no_pager { Paging::Never } else { Paging::AsGit },
    };
    match arguments.command {
        Command::Init(args) => commands::init::run(&args, &context),
        Command::Comment(args) => commands::comment::run(&args, &context),
        Command::Suggest(args) => commands::suggest::run(&args, &context),
        Command::Apply(args) => commands::apply::run(&args, &context),
        Command::Patch(command) => commands::patch::run(&command, &context),
        Command::Reply(args) => commands::reply::run(&args, &context),
        Command::Edit(args) => commands::edit::run(&args, &context),
        Command::Resolve(args) => commands::resolve::run(&args, &context),
        Command::Reopen(args) => commands::reopen::run(&args, &context),
        Command::Withdraw(args) => commands::withdraw::run(&args, &context),
        Command::Move(args) => commands::move_to::run(&args, &context),
        Command::List(args) => commands::list::run(&args, &context),
        Command::Show(args) => commands::show::run(&args, &context),
        Command::Log(args) => commands::log::run(&args, &context),
        Command::Diff(args) => commands::diff::run(&args, &context),
        Command::Review(command) => commands::review::run(&command, &context),
        Command::Publish(args) => commands::publish::run(&args, &context),
        Command::Status(args) => commands::status::run(&args, &context),
        Command::Sync(args) => commands::sync::run(&args, &context),
        Command::Hook(command) => commands::hook::run(&command, &context),
        Command::Import(args) => commands::import::run(&args, &context),
        Command::Export(args) => commands::export::run(&args, &context),
        Command::Doctor(args) => commands::doctor::run(&args, &context),
        Command::Purge(args) => commands::purge::run(&args, &context),
        Command::Watch(args) => commands::watch::run(&args, &context),
        Command::Wait(args) => commands::wait::run(&args, &context),
        Command::Completions(args) => commands::completions::run(
            &args,
            &mut Arguments::<Command>::command(),
            &mut std::io::stdout().lock(),
        ),
        Command::Man(args) => {
            let command = Arguments::<Command>::command();
            commands::man::run(&args, command, &context.at.directory, &mut std::io::stdout().lock())
        }
        Command::Ids { reviews, described } => {
            let of = if reviews { Of::Reviews } else { Of::Threads };
            let described = if described { Described::Yes } else { Described::No };
            commands::completions::ids(of, described, &context)
        }
        Command::Demo(args) => commands::demo::run(&args, &mut std::io::stdout().lock()),
        Command::Daemon(command) => commands::daemon::run(&command, &context, &mut std::io::stdout().lock()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, clap::Error> {
        parse("postil", line.split(' ').map(OsString::from))
    }

    #[test]
    fn the_words_of_the_command_line_are_consistent() {
        Arguments::<Command>::command().debug_assert();
    }

    #[test]
    fn a_command_of_daily_use_is_read_alone_and_means_the_same() {
        for line in [
            "postil list",
            "postil -C a --json ls src --author ann --state outdated -q",
            "postil --git-dir=x comment a.rs:12 -m one -m two --severity blocker --draft",
            "postil --color always add a.rs -m one",
            "postil show @ 3f --at main",
            "postil status --exit-code -v",
            "postil reply @ -m yes",
            "postil resolve 1 2 -m done",
            "postil apply @ --check",
            "postil wait --timeout 2.5",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let alone = alone(&words).unwrap_or_else(|| panic!("{line}"));
            let matches = Arguments::<Command>::command().try_get_matches_from(&words).unwrap();
            let among_all = Arguments::<Command>::from_arg_matches(&matches).unwrap();
            assert_eq!(format!("{alone:?}"), format!("{among_all:?}"), "{line}");
        }
        for line in ["postil", "postil list --help", "postil lst", "postil -C list", "postil list --nonsense"]
        {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(alone(&words).is_none(), "{line}");
        }
    }

    #[test]
    fn each_directory_is_relative_to_the_one_before() {
        let directory = |line| parsed(line).unwrap().directory.iter().collect::<PathBuf>();
        assert_eq!(directory("postil -C a -C b daemon run"), PathBuf::from("a/b"));
        assert_eq!(directory("postil -C a -C /b daemon run"), PathBuf::from("/b"));
    }

    #[test]
    fn every_command_has_a_published_form_or_refuses_to_write_json() {
        let schema: serde_json::Value =
            serde_json::from_str(include_str!("../../docs/schema/v1.json")).unwrap();
        let told = |name: &str| schema["$defs"].get(name).is_some();
        let mut commands = vec![(String::new(), Arguments::<Command>::command())];
        let mut seen = 0;
        while let Some((name, command)) = commands.pop() {
            let below = command.get_subcommands().map(|sub| {
                let name = if name.is_empty() { String::new() } else { format!("{name}.") };
                (name + sub.get_name(), sub.clone())
            });
            let below: Vec<_> = below.collect();
            if below.is_empty() {
                seen += 1;
                assert_ne!(told(&name), WITHOUT_JSON.contains(&name.as_str()), "{name}");
            }
            commands.extend(below);
        }
        assert!(seen > 40, "{seen} commands");
        assert!(parsed("postil demo --json").unwrap_err().to_string().contains("`demo` has no results"));
        assert!(parsed("postil --json daemon run").is_err() && parsed("postil daemon status --json").is_ok());
    }

    #[test]
    fn the_help_of_every_command_has_examples() {
        let shown = |command: &clap::Command| {
            let below = command.get_subcommands().filter(|sub| !sub.is_hide_set());
            below.cloned().collect::<Vec<_>>()
        };
        let mut commands = shown(&Arguments::<Command>::command());
        while let Some(command) = commands.pop() {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("\n    postil "), "{}: {help}", command.get_name());
            commands.extend(shown(&command));
        }
    }

    #[test]
    fn an_unknown_word_gets_a_suggestion() {
        let refusal = parsed("postil dmeo").unwrap_err().to_string();
        assert!(refusal.contains("'demo'"), "{refusal}");
    }
}
