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
mod progress;
mod render;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use postil_client::{DeclaredVia, RepositoryArgs};
use postil_words::sanitize;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use commands::Context;
use commands::setup::completions::{Described, Of};
use exit::Exit;
use failure::{Failure, FailureKind};
use render::{Colour, OutputFormat, Paging, Volume};

/// The heading of options that every command has.
const EVERYWHERE: &str = "Global options";

/// Commands that print scripts, pages, a story, a log or a link, and no results.
const WITHOUT_JSON: [&str; 13] = [
    "completions",
    "man",
    "ids",
    "demo",
    "daemon.run",
    "web",
    "lsp",
    "mcp",
    "agent.skill",
    "agent.instructions",
    "agent.install",
    "agent.remove",
    "agent.hook",
];

/// Code review comments stored in your git repository
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, arg_required_else_help = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Arguments {
    /// Run as if started in DIR (can be repeated; each is relative to the one before)
    #[arg(short = 'C', value_name = "DIR")]
    directory: Vec<PathBuf>,

    /// Use this git directory instead of looking for one
    #[arg(long, value_name = "DIR")]
    git_dir: Option<PathBuf>,

    /// Use this working tree instead of the one that belongs to the git directory
    #[arg(long, value_name = "DIR")]
    work_tree: Option<PathBuf>,

    /// Print results as JSON, one object per line
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,

    /// When to use colors
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: Colour,

    /// Print only results and errors
    #[arg(short, long, global = true, help_heading = EVERYWHERE, conflicts_with = "verbose")]
    quiet: bool,

    /// Print more details
    #[arg(short, long, global = true, help_heading = EVERYWHERE)]
    verbose: bool,

    /// Do not use a pager
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    no_pager: bool,

    /// Record that this program acts for you: agent:NAME, agent:NAME@VERSION, tool:NAME or person
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "PROGRAM", value_parser = via)]
    via: Option<DeclaredVia>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(commands::setup::init::InitArgs),
    #[command(visible_alias = "add")]
    Comment(commands::comments::comment::CommentArgs),
    Suggest(commands::suggestions::suggest::SuggestArgs),
    Apply(commands::suggestions::apply::ApplyArgs),
    #[command(subcommand)]
    Patch(commands::suggestions::patch::PatchCommand),
    Reply(commands::comments::reply::ReplyArgs),
    Edit(commands::comments::edit::EditArgs),
    Resolve(commands::comments::resolve::ResolveArgs),
    Reopen(commands::comments::reopen::ReopenArgs),
    Propose(commands::comments::propose::ProposeArgs),
    Accept(commands::comments::answer::AcceptArgs),
    Decline(commands::comments::answer::DeclineArgs),
    #[command(visible_alias = "rm")]
    Withdraw(commands::comments::withdraw::WithdrawArgs),
    Move(commands::comments::move_to::MoveArgs),
    #[command(visible_alias = "ls")]
    List(commands::reading::list::ListCommandArgs),
    Inbox(commands::reading::inbox::InboxArgs),
    Stats(commands::reading::stats::StatsArgs),
    Show(commands::reading::show::ShowArgs),
    Log(commands::reading::log::LogArgs),
    Diff(commands::reading::diff::DiffArgs),
    #[command(subcommand)]
    Review(commands::review::ReviewCommand),
    Publish(commands::comments::publish::PublishArgs),
    Status(commands::reading::status::StatusArgs),
    Sync(commands::exchange::sync::SyncArgs),
    Import(commands::exchange::import::ImportArgs),
    Export(commands::exchange::export::ExportArgs),
    Doctor(commands::setup::doctor::DoctorArgs),
    Purge(commands::comments::purge::PurgeArgs),
    #[command(subcommand)]
    Hook(commands::setup::hook::HookCommand),
    Watch(commands::reading::watch::WatchArgs),
    Wait(commands::reading::wait::WaitArgs),
    Web(commands::web::WebArgs),
    Lsp(commands::setup::lsp::LspArgs),
    Mcp(commands::mcp::McpArgs),
    #[command(subcommand)]
    Agent(commands::agent::AgentCommand),
    Completions(commands::setup::completions::CompletionsArgs),
    Man(commands::setup::man::ManArgs),
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
    let is_json = arguments.json;
    ended(run(arguments), is_json)
}

/// Prints how a command ended, and returns its exit code.
fn ended(outcome: Result<(), Failure>, is_json: bool) -> ExitCode {
    match outcome {
        Ok(()) => Exit::Success.into(),
        Err(failure) => {
            let _ = write!(std::io::stderr(), "{failure}");
            if is_json && failure.is_untold() {
                let _ = writeln!(std::io::stdout(), "{}", render::refused(&failure));
            }
            Exit::of(&failure).into()
        }
    }
}

/// An invalid command line, in the form of other failures.
fn usage(refusal: &clap::Error) -> Failure {
    let told = refusal.to_string();
    // Missing and possible values are on separate lines below.
    let what: Vec<&str> = told.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let what = what.join(" ");
    let failure = Failure::new(FailureKind::Usage, what.strip_prefix("error: ").unwrap_or(&what));
    match told.lines().find_map(|line| line.trim_start().strip_prefix("tip: ")) {
        Some(tip) => failure.hint(tip),
        None => failure.hint("see the command's `--help`"),
    }
}

fn parse(called: &'static str, words: impl Iterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command().name(called).bin_name(called);
    let words: Vec<OsString> = words.collect();
    let matches = command.try_get_matches_from_mut(&words).map_err(|refusal| with_tip(refusal, &words))?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    let asked = spoken(&matches);
    if arguments.json && WITHOUT_JSON.contains(&asked.as_str()) {
        let what = format!("`{}` does not support --json", asked.replace('.', " "));
        return Err(command.error(ErrorKind::ArgumentConflict, what));
    }
    Ok(arguments)
}

/// Adds what was perhaps meant where the file of the text was taken for the one with the new lines.
fn with_tip(mut refusal: clap::Error, words: &[OsString]) -> clap::Error {
    let suggests = words.iter().any(|word| word == "suggest" || word == "reply");
    let names = [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| refusal.get(kind));
    let is_text = |value: &ContextValue| value.to_string().starts_with("--file");
    if suggests && refusal.kind() == ErrorKind::ArgumentConflict && names.into_iter().flatten().any(is_text) {
        let tip = "'--file' is the text of the comment; to suggest new lines, use '--with <FILE>'";
        refusal.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    refusal
}

/// The command that was given, the words of which are tied by dots.
fn spoken(matches: &ArgMatches) -> String {
    let words = std::iter::successors(matches.subcommand(), |(_, below)| below.subcommand());
    words.map(|(word, _)| word).collect::<Vec<_>>().join(".")
}

fn via(text: &str) -> Result<DeclaredVia, String> {
    DeclaredVia::parse(text)
        .map_err(|_| "use `agent:NAME[@VERSION][,model=MODEL]`, `tool:NAME` or `person`".to_owned())
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    // Joining an absolute path replaces what came before, as `git -C` has it.
    let directory: PathBuf = arguments.directory.iter().collect();
    let directory = if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory };
    let context = Context {
        at: RepositoryArgs::new(directory, arguments.git_dir, arguments.work_tree),
        colour: arguments.color,
        format: if arguments.json { OutputFormat::Json } else { OutputFormat::Text },
        volume: match (arguments.quiet, arguments.verbose) {
            (true, _) => Volume::Quiet,
            (false, true) => Volume::Verbose,
            (false, false) => Volume::Usual,
        },
        via: arguments.via,
        paging: if arguments.no_pager { Paging::Never } else { Paging::AsGit },
    };
    match arguments.command {
        Command::Init(args) => commands::setup::init::run(&args, &context),
        Command::Comment(args) => commands::comments::comment::run(&args, &context),
        Command::Suggest(args) => commands::suggestions::suggest::run(&args, &context),
        Command::Apply(args) => commands::suggestions::apply::run(&args, &context),
        Command::Patch(command) => commands::suggestions::patch::run(&command, &context),
        Command::Reply(args) => commands::comments::reply::run(&args, &context),
        Command::Edit(args) => commands::comments::edit::run(&args, &context),
        Command::Resolve(args) => commands::comments::resolve::run(&args, &context),
        Command::Reopen(args) => commands::comments::reopen::run(&args, &context),
        Command::Propose(args) => commands::comments::propose::run(&args, &context),
        Command::Accept(args) => commands::comments::answer::accept(&args, &context),
        Command::Decline(args) => commands::comments::answer::decline(&args, &context),
        Command::Withdraw(args) => commands::comments::withdraw::run(&args, &context),
        Command::Move(args) => commands::comments::move_to::run(&args, &context),
        Command::List(args) => commands::reading::list::run(&args, &context),
        Command::Inbox(args) => commands::reading::inbox::run(&args, &context),
        Command::Stats(args) => commands::reading::stats::run(&args, &context),
        Command::Show(args) => commands::reading::show::run(&args, &context),
        Command::Log(args) => commands::reading::log::run(&args, &context),
        Command::Diff(args) => commands::reading::diff::run(&args, &context),
        Command::Review(command) => commands::review::run(&command, &context),
        Command::Publish(args) => commands::comments::publish::run(&args, &context),
        Command::Status(args) => commands::reading::status::run(&args, &context),
        Command::Sync(args) => commands::exchange::sync::run(&args, &context),
        Command::Hook(command) => commands::setup::hook::run(&command, &context),
        Command::Import(args) => commands::exchange::import::run(&args, &context),
        Command::Export(args) => commands::exchange::export::run(&args, &context),
        Command::Doctor(args) => commands::setup::doctor::run(&args, &context),
        Command::Purge(args) => commands::comments::purge::run(&args, &context),
        Command::Watch(args) => commands::reading::watch::run(&args, &context),
        Command::Wait(args) => commands::reading::wait::run(&args, &context),
        Command::Web(args) => commands::web::run(&args, &context),
        Command::Lsp(args) => commands::setup::lsp::run(&args, &context.acting(), &mut std::io::stdout()),
        Command::Mcp(args) => commands::mcp::run(&args, &context),
        Command::Agent(command) => commands::agent::run(&command, &context),
        Command::Completions(args) => {
            commands::setup::completions::run(&args, &mut Arguments::command(), &mut std::io::stdout().lock())
        }
        Command::Man(args) => {
            let command = Arguments::command();
            commands::setup::man::run(&args, command, &context.at.directory, &mut std::io::stdout().lock())
        }
        Command::Ids { reviews, described } => {
            let of = if reviews { Of::Reviews } else { Of::Threads };
            let described = if described { Described::Yes } else { Described::No };
            commands::setup::completions::ids(of, described, &context)
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
        Arguments::command().debug_assert();
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
        let mut commands = vec![(String::new(), Arguments::command())];
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
        assert!(parsed("postil demo --json").unwrap_err().to_string().contains("`demo` does not support"));
        assert!(parsed("postil --json daemon run").is_err() && parsed("postil daemon status --json").is_ok());
    }

    #[test]
    fn the_help_of_every_command_has_examples() {
        let shown = |command: &clap::Command| {
            let below = command.get_subcommands().filter(|sub| !sub.is_hide_set());
            below.cloned().collect::<Vec<_>>()
        };
        let mut commands = shown(&Arguments::command());
        while let Some(command) = commands.pop() {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("\n    postil "), "{}: {help}", command.get_name());
            commands.extend(shown(&command));
        }
    }

    #[test]
    fn the_help_of_every_command_is_the_one_in_the_docs() {
        let mut all = Arguments::command().term_width(100);
        all.build();
        let mut helps = std::collections::BTreeMap::new();
        let mut commands = vec![("postil".to_owned(), all)];
        while let Some((name, mut command)) = commands.pop() {
            let shown =
                command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
            commands.extend(shown.map(|sub| (format!("{name} {}", sub.get_name()), sub.clone())));
            helps.insert(name, command.render_long_help().to_string());
        }
        let mut made = String::new();
        for (name, help) in helps {
            // What every command has is shown once.
            let own =
                help.split("  -h, --help").next().filter(|_| name != "postil").unwrap_or(&help).trim_end();
            let own = own.strip_suffix("\n\nOptions:").unwrap_or(own);
            made.extend(["$ ", &name, " --help\n", own, "\n\n"]);
        }
        let made = made.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/help.txt");
        if std::env::var_os("POSTIL_BLESS").is_some() {
            std::fs::write(&file, &made).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        let differs = made.lines().zip(kept.lines()).find(|(made, kept)| made != kept);
        assert!(
            made == kept,
            "docs/help.txt is not what `--help` prints ({differs:?}); \
             `POSTIL_BLESS=1 cargo test -p postil help` writes it again"
        );
    }

    #[test]
    fn the_file_with_new_lines_is_told_from_the_one_with_the_text() {
        for line in ["postil suggest a.rs:1 -F b.rs -m why", "postil reply 3f9 -m why --file b.rs"] {
            let refusal = parsed(line).unwrap_err().to_string();
            assert!(refusal.contains("tip: '--file' is the text") && refusal.contains("--with"), "{refusal}");
        }
        let other = parsed("postil comment a.rs:1 -F b.rs -m why").unwrap_err().to_string();
        assert!(!other.contains("--with"), "{other}");
    }

    #[test]
    fn an_unknown_word_gets_a_suggestion() {
        let refusal = parsed("postil dmeo").unwrap_err().to_string();
        assert!(refusal.contains("'demo'"), "{refusal}");
    }
}
