//! `postil man`: one page for each command, where `man` and `git help postil` find them.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap_mangen::Man;

use crate::failure::{Failure, FailureKind};

/// Write or install man pages
///
/// With --install, `man postil` and `git help postil` show them. They are written
/// next to the directory of the program (`~/.cargo/share/man` for `~/.cargo/bin`),
/// where `man` looks for programs on the PATH, or to `$XDG_DATA_HOME/man`.
/// To package the pages, give a directory.
///
/// Examples:
///
///     postil man --install
///     postil man target/man
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ManArgs {
    /// Directory to write the pages to (created if missing)
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,

    /// Write the pages to where `man` finds them
    #[arg(long, conflicts_with = "directory")]
    install: bool,
}

/// Writes `postil.1`, `postil-COMMAND.1` for each command, and `git-postil.1`, which `git help postil` shows.
pub fn run(
    args: &ManArgs,
    mut command: clap::Command,
    started: &Path,
    out: &mut impl Write,
) -> Result<(), Failure> {
    command.build();
    if let Some(directory) = &args.directory {
        return write(&command, &started.join(directory));
    }
    if !args.install {
        return Err(Failure::new(FailureKind::Usage, "no directory given").hint(
            "install them with `postil man --install`, or write them to a directory with `postil man DIR`",
        ));
    }
    let folder = install(&command)?;
    writeln!(out, "wrote man pages to {}", folder.display()).map_err(Failure::output)?;
    if !is_found() {
        let root = folder.parent().unwrap_or(&folder).display().to_string();
        // Who cannot read it misses no result.
        let _ = writeln!(
            io::stderr(),
            "note: `man` does not search this directory; add `export MANPATH={root}:` to your profile"
        );
    }
    Ok(())
}

/// Writes them into the first of the usual places that can be written.
fn install(command: &clap::Command) -> Result<PathBuf, Failure> {
    let places = places(env::current_exe().ok().as_deref(), |name| env::var_os(name).map(PathBuf::from));
    let mut refused = None;
    for place in places {
        match write(command, &place) {
            Ok(()) => return Ok(place),
            Err(failure) => refused = Some(failure),
        }
    }
    let homeless = || Failure::new(FailureKind::Unavailable, "no directory for man pages");
    Err(refused.unwrap_or_else(homeless).hint("set HOME, or give a directory: `postil man DIR`"))
}

/// Where pages of this user are looked for, the best place first.
fn places(program: Option<&Path>, variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let beside = program.and_then(Path::parent).filter(|folder| folder.ends_with("bin"));
    let beside = beside.and_then(Path::parent).map(|root| root.join("share"));
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
    beside.into_iter().chain(data).map(|share| share.join("man/man1")).collect()
}

/// Whether `man` shows the page; if there is no `man`, that does not matter.
fn is_found() -> bool {
    let mut man = Command::new("man");
    man.args(["-w", "git-postil"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    man.status().map_or(true, |status| status.success())
}

fn write(command: &clap::Command, folder: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        Failure::new(FailureKind::Unavailable, format!("could not write man pages to {}", folder.display()))
            .because(error)
            .hint("give a writable directory: `postil man DIR`")
    };
    fs::create_dir_all(folder).map_err(failed)?;
    pages(command, "postil", folder).map_err(failed)?;
    page(command, "git-postil", "git postil", folder).map_err(failed)
}

fn pages(command: &clap::Command, name: &str, folder: &Path) -> io::Result<()> {
    page(command, name, &name.replace('-', " "), folder)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        pages(sub, &format!("{name}-{}", sub.get_name()), folder)?;
    }
    Ok(())
}

/// One page, named after all the words that lead to it, which are known here only.
fn page(command: &clap::Command, name: &str, words: &str, folder: &Path) -> io::Result<()> {
    let title: &'static str = Box::leak(name.to_owned().into_boxed_str());
    let man = Man::new(command.clone().name(title).display_name(title));
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    // clap_mangen's synopsis does not show the values of options.
    text.write_all(synopsis(command, words).as_bytes())?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        // `git postil list` has its page under the program's own name.
        let own = name.strip_prefix("git-").unwrap_or(name);
        let own: &'static str = Box::leak(own.to_owned().into_boxed_str());
        Man::new(command.clone().display_name(own)).render_subcommands_section(&mut text)?;
    }
    man.render_version_section(&mut text)?;
    fs::write(folder.join(format!("{name}.1")), text)
}

/// The command with its own options and their values; global options are described below.
fn synopsis(command: &clap::Command, words: &str) -> String {
    let mut line = format!("\\fB{}\\fR", escaped(words));
    let own = command.get_opts().chain(command.get_arguments().filter(|arg| is_flag(arg)));
    for option in own.filter(|option| !option.is_hide_set() && option.get_help_heading().is_none()) {
        let names = [
            option.get_short().map(|short| format!("\\fB\\-{short}\\fR")),
            option.get_long().map(|long| format!("\\fB\\-\\-{}\\fR", escaped(long))),
        ];
        let names: Vec<String> = names.into_iter().flatten().collect();
        let _ = write!(line, " [{}{}]", names.join("|"), taken(option, " "));
    }
    for argument in command.get_positionals().filter(|argument| !argument.is_hide_set()) {
        let many = argument.get_num_args().is_some_and(|count| count.max_values() > 1);
        let dots = if many { "..." } else { "" };
        let name = taken(argument, "");
        let _ = if argument.is_required_set() {
            write!(line, " {name}{dots}")
        } else {
            write!(line, " [{name}{dots}]")
        };
    }
    if command.has_subcommands() {
        line.push_str(" \\fICOMMAND\\fR ...");
    }
    format!(".SH SYNOPSIS\n{line}\n")
}

fn is_flag(arg: &clap::Arg) -> bool {
    let is_told = !matches!(arg.get_id().as_str(), "help" | "version");
    is_told && !arg.is_positional() && !arg.get_action().takes_values()
}

/// The value name of an option or argument; empty for a flag.
fn taken(arg: &clap::Arg, before: &str) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let names = arg.get_value_names().unwrap_or_default().iter().map(|name| escaped(name));
    let names = names.collect::<Vec<_>>().join(" ");
    let name = if names.is_empty() { escaped(&arg.get_id().as_str().to_uppercase()) } else { names };
    format!("{before}\\fI{name}\\fR")
}

/// A dash that is typed is no hyphen.
fn escaped(words: &str) -> String {
    words.replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_go_beside_the_program_or_to_the_data_of_the_person() {
        let check = |program: &str, data: Option<&str>, expected: &[&str]| {
            let found = places(Some(Path::new(program)), |name| match name {
                "HOME" => Some("/home/ann".into()),
                _ => data.map(PathBuf::from),
            });
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{program}");
        };
        let local = "/home/ann/.local/share/man/man1";
        check("/home/ann/.cargo/bin/postil", None, &["/home/ann/.cargo/share/man/man1", local]);
        check("/home/ann/src/target/debug/postil", None, &[local]);
        check("/x/postil", Some("/data"), &["/data/man/man1"]);
        check("/x/postil", Some("relative"), &[local]);
    }
}
