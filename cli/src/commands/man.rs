//! `postil man`, which packagers run: one page for each command.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Kind};

/// Write man pages into a folder
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// The folder, which is made
    directory: PathBuf,
}

/// Writes `postil.1`, `postil-COMMAND.1` for each command, and `git-postil.1`, which `git help postil` shows.
pub fn run(args: &ManArgs, mut command: clap::Command, started: &Path) -> Result<(), Failure> {
    let folder = started.join(&args.directory);
    let failed = |error: std::io::Error| {
        Failure::new(Kind::Unavailable, format!("could not write man pages into {}", folder.display()))
            .because(error)
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    command.build();
    pages(&command, "postil", &folder).map_err(failed)?;
    page(command.clone().name("git-postil"), "git-postil", &folder).map_err(failed)
}

fn pages(command: &clap::Command, name: &str, folder: &Path) -> std::io::Result<()> {
    page(command.clone(), name, folder)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        pages(sub, &format!("{name}-{}", sub.get_name()), folder)?;
    }
    Ok(())
}

fn page(command: clap::Command, name: &str, folder: &Path) -> std::io::Result<()> {
    // A page is named after all the words that lead to it, which are known here only.
    let title: &'static str = Box::leak(name.to_owned().into_boxed_str());
    let mut text = Vec::new();
    clap_mangen::Man::new(command.name(title)).render(&mut text)?;
    fs::write(folder.join(format!("{name}.1")), text)
}
