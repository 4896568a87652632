//! Runs the user's own `git diff`, and puts threads between its lines.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use postil_client::Checkout;
use postil_protocol::{
    ByteText, Detail, Filter, HeadName, HeadView, Hex, List, LookedHead, MarkRead, ThreadStatus,
};

use super::git_diff_options::GitDiffOptions;
use super::list::gather;
use super::read_ahead::ReadAhead;
use crate::commands::Context;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::{
    DeletedLines, DiffColours, GitDiffText, PathPrefixes, Screen, ThreadPlacement, ThreadsToPlace,
};

/// What is compared, and how it is shown.
#[derive(Debug)]
pub struct DiffToPrint<'a> {
    /// What it was.
    pub base: Hex,
    /// What it is; none for the files on disk.
    pub head: Option<Hex>,
    /// The paths as they were typed.
    pub typed: &'a [OsString],
    /// The same, from the root of the repository.
    pub paths: Vec<ByteText>,
    /// Number of unchanged lines around each change.
    pub context: Option<u32>,
    /// Options for git.
    pub options: &'a GitDiffOptions,
    /// How threads on deleted lines are found.
    pub deleted: DeletedLines,
    /// Where threads are shown; none for where they are usually.
    pub placement: Option<ThreadPlacement>,
}

impl DiffToPrint<'_> {
    /// Prints the diff with its threads.
    pub fn print(
        self,
        context: &Context,
        session: &mut CommandSession,
        screen: &mut Screen,
    ) -> Result<(), Failure> {
        screen.page();
        let mut git = self.start(context, session.checkout(), screen)?;
        // While threads are looked for, git goes on.
        let output = ReadAhead::new(git.stdout.take().expect("it is piped"));
        let printed = self.weave(output, session, screen);
        let ended = git.wait();
        let is_something = printed?;
        let code = ended.ok().and_then(|status| status.code());
        if code != Some(0) {
            return Err(Failure::new(FailureKind::Unavailable, "`git diff` failed")
                .hint("git says above why; its options and settings are those of `git diff`"));
        }
        if !is_something {
            screen.print_message("nothing to show");
        }
        Ok(())
    }

    /// Starts git where the person is, so that paths mean what they mean to git.
    fn start(&self, context: &Context, checkout: &Checkout, screen: &Screen) -> Result<Child, Failure> {
        let mut git = Command::new("git");
        git.arg("--git-dir").arg(checkout.git_dir());
        if let Some(work_tree) = checkout.work_tree() {
            git.arg("--work-tree").arg(work_tree);
        }
        let folder = if context.at.directory.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            context.at.directory.clone()
        };
        git.current_dir(folder).arg("diff");
        // A program of the user's that prints something else is asked for by name.
        git.args(["--no-ext-diff", "--no-textconv"]);
        git.arg(if screen.is_coloured() { "--color=always" } else { "--color=never" });
        // It does not see the terminal; how wide `--stat` may be depends on that.
        if let Some(columns) = screen.width() {
            git.env("COLUMNS", columns.to_string());
        }
        if let Some(lines) = self.context {
            git.arg(format!("--unified={lines}"));
        }
        let commits = std::iter::once(&self.base).chain(&self.head).map(Hex::as_str);
        git.args(self.options.words()).args(commits).arg("--").args(self.typed);
        git.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(|error| {
            Failure::new(FailureKind::Unavailable, "could not run git").because(error).hint("install git")
        })
    }

    fn weave(
        &self,
        output: ReadAhead,
        session: &mut CommandSession,
        screen: &mut Screen,
    ) -> Result<bool, Failure> {
        let usual = if screen.is_on_terminal() { ThreadPlacement::Lines } else { ThreadPlacement::Files };
        let mut placement = self.placement.unwrap_or(usual);
        if !self.options.prints_lines() {
            placement = ThreadPlacement::Left;
        }
        let mut threads = Vec::new();
        if placement != ThreadPlacement::Left {
            let list = List {
                filter: Filter {
                    paths: self.paths.clone(),
                    statuses: vec![ThreadStatus::Open],
                    ..Filter::default()
                },
                head: self.head_name(),
                detail: Detail::Comments,
                ..List::default()
            };
            let reply = gather(list, session)?;
            session.print_warnings(&reply.warnings);
            note_looked(session, &reply.head);
            threads = reply.threads;
        }
        let checkout = session.checkout();
        let diff = GitDiffText {
            output,
            form: self.options.form(),
            prefixes: PathPrefixes::of(checkout, self.options.has("no-prefix")),
            colours: screen.is_on_terminal().then(|| DiffColours::of(checkout)),
        };
        screen.woven(diff, ThreadsToPlace::new(threads, self.deleted), placement)
    }

    fn head_name(&self) -> HeadName {
        self.head.as_ref().map_or(HeadName::WorkTree, |commit| HeadName::Rev(commit.to_string()))
    }
}

/// Writes down which version of the review of the branch was looked at.
fn note_looked(session: &mut CommandSession, head: &HeadView) {
    let branch = head.branch.as_ref().and_then(|branch| branch.as_str());
    let Some((branch, head)) = branch.zip(head.commit.as_ref()).filter(|_| !session.is_program()) else {
        return;
    };
    let looked = vec![LookedHead { review: branch.to_owned(), head: head.clone() }];
    // A branch without a review has nothing to write down, and what cannot be written only costs a warning.
    let _ = session.ask(MarkRead { looked, ..MarkRead::default() });
}
