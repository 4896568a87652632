//! `postil hook …`: a gate before a push, for those who want one.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use postil_client::Checkout;
use postil_protocol::{
    ByteText, Detail, Filter, Freshness, HeadName, Hex, HookReply, List, ListOrder, RepositoryRequest,
    ReviewMerge, ReviewReady, Scope, SeverityView, ThreadStatus,
};

use crate::commands::Context;
use crate::commands::reading::list::gather;
use crate::commands::review_ready::unready_failure;
use crate::connect::{CommandSession, find_checkout};
use crate::failure::{Failure, FailureKind};
use crate::render::{Screen, versioned};

/// The first line of a hook of ours, by which it is known again.
const MARK: &str = "# Made by `postil hook install`";

/// What to do where a hook cannot be changed.
const HOOKS: &str = "check the permissions; `git config core.hooksPath` shows where hooks are";

/// Where a hook that was there before is put.
const BEFORE: &str = "pre-push.before-postil";

/// Placeholder for the path of the program in the hook; the path need not be valid UTF-8.
const PROGRAM: &str = "@program@";

/// Which pushes are stopped: `base`, those to the branch that a review is to be merged into with open blockers; `ready`,
/// those of reviews that are not ready; or `all`, those with open blockers to any branch.
const SETTING: &str = "postil.hook";

/// More than a push can name: what git says about each ref is one short line.
const MAX_INPUT: u64 = 4 << 20;

/// Install a git hook that stops pushes while blockers are open
///
/// Example:
///
///     postil hook install
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum HookCommand {
    /// Install a pre-push hook that stops pushes while blockers are open
    ///
    /// Stops a push to the base of a review, such as main, while threads of that
    /// review with the severity blocker are open. Other branches can be pushed, so
    /// that a fix reaches the reviewer. To stop every push of commits with open
    /// blockers, run `git config postil.hook all`. To stop merging reviews that are
    /// not ready (`postil review ready`), run `git config postil.hook ready`.
    ///
    /// If there is already a pre-push hook, it is kept and runs first. If the hook
    /// cannot check, for example because postil is no longer installed, nothing is
    /// pushed. To push without running hooks, use `git push --no-verify`.
    ///
    /// Example:
    ///
    ///     postil hook install
    #[command(verbatim_doc_comment)]
    Install,
    /// Remove the hook, and restore the one it replaced
    ///
    /// Example:
    ///
    ///     postil hook uninstall
    #[command(verbatim_doc_comment)]
    Uninstall,
    /// Look for open blockers in what is pushed; this is what the hook runs
    #[command(hide = true)]
    PrePush {
        /// The remote, and its address
        #[arg(value_name = "REMOTE")]
        _remote: Vec<String>,
    },
}

/// Does what the words say.
pub fn run(command: &HookCommand, context: &Context) -> Result<(), Failure> {
    match command {
        HookCommand::Install => install(context),
        HookCommand::Uninstall => uninstall(context),
        HookCommand::PrePush { .. } => gate(context).map_err(|failure| match failure.kind() {
            FailureKind::CheckFailed | FailureKind::OutputClosed | FailureKind::Interrupted => failure,
            // Whatever it was that kept it from looking: it says nothing about the reviews.
            _ => failure.in_check("nothing was pushed: could not check the reviews"),
        }),
    }
}

fn install(context: &Context) -> Result<(), Failure> {
    let checkout = find_checkout(&context.at)?;
    let mut screen = context.screen(&checkout);
    let (hook, before) = places(&checkout);
    let failed = |error| {
        Failure::new(FailureKind::Unavailable, format!("could not write {}", hook.display()))
            .because(error)
            .hint(HOOKS)
    };
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("postil"));
    let script = script(&program);
    if is_ours(&hook) {
        if fs::read(&hook).is_ok_and(|found| found == script) {
            screen.print_message("the hook is already installed");
            return print_hook_change(screen, &hook, &before, HookChange::Nothing);
        }
        // An older postil made it, or one that was elsewhere.
    } else if is_there(&hook) {
        if is_there(&before) {
            return Err(Failure::new(FailureKind::Conflict, "there are already two pre-push hooks")
                .hint(format!("remove {} or {}, and try again", hook.display(), before.display())));
        }
        fs::rename(&hook, &before).map_err(failed)?;
        screen.print_message(format!("kept the existing hook as {BEFORE}; it runs first"));
    } else if let Some(dir) = hook.parent() {
        fs::create_dir_all(dir).map_err(failed)?;
    }
    fs::write(&hook, script).map_err(failed)?;
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    if checkout.setting("core.hooksPath").is_some() {
        screen.print_message(
            "core.hooksPath is set: the hook is now active in all repositories that use this directory",
        );
    }
    print_hook_change(screen, &hook, &before, HookChange::Installed)
}

fn uninstall(context: &Context) -> Result<(), Failure> {
    let checkout = find_checkout(&context.at)?;
    let mut screen = context.screen(&checkout);
    let (hook, before) = places(&checkout);
    let failed = |error| {
        Failure::new(FailureKind::Unavailable, format!("could not remove {}", hook.display()))
            .because(error)
            .hint(HOOKS)
    };
    if !is_ours(&hook) {
        screen.print_message("the hook is not installed");
        return print_hook_change(screen, &hook, &before, HookChange::Nothing);
    }
    if is_there(&before) {
        fs::rename(&before, &hook).map_err(failed)?;
    } else {
        fs::remove_file(&hook).map_err(failed)?;
    }
    print_hook_change(screen, &hook, &before, HookChange::Removed)
}

/// What was done about the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HookChange {
    Installed,
    Removed,
    Nothing,
}

fn print_hook_change(
    mut screen: Screen,
    hook: &Path,
    before: &Path,
    done: HookChange,
) -> Result<(), Failure> {
    let name = |path: &Path| ByteText::new(path.as_os_str().as_bytes());
    match done {
        _ if screen.is_json() => screen.line(versioned(&HookReply {
            hook: name(hook),
            installed: is_ours(hook),
            changed: done != HookChange::Nothing,
            before: is_there(before).then(|| name(before)),
        })?)?,
        HookChange::Installed => screen.line(format!("installed {}", hook.display()))?,
        HookChange::Removed => screen.line(format!("removed {}", hook.display()))?,
        HookChange::Nothing => {}
    }
    screen.close()
}

/// Which pushes are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guarded {
    /// Those to the base of a review.
    Base,
    /// All of them.
    All,
    /// Those to the base of a review, by the rule that it has for being ready.
    Ready,
}

impl Guarded {
    fn of(checkout: &Checkout) -> Result<Self, Failure> {
        match checkout.setting(SETTING).as_deref() {
            None | Some("base") => Ok(Self::Base),
            Some("all") => Ok(Self::All),
            Some("ready") => Ok(Self::Ready),
            Some(other) => Err(Failure::new(
                FailureKind::Unavailable,
                format!("{SETTING} is {other:?}, which is invalid"),
            )
            .hint(format!(
                "use `git config {SETTING} base`, `git config {SETTING} ready` or `git config {SETTING} all`"
            ))),
        }
    }
}

/// Fails if a commit that is pushed has open blockers.
fn gate(context: &Context) -> Result<(), Failure> {
    let mut input = String::new();
    let read = io::stdin().take(MAX_INPUT).read_to_string(&mut input);
    read.map_err(|error| {
        Failure::new(FailureKind::Unavailable, "could not read the refs that git is pushing").because(error)
    })?;
    let (mut session, mut screen) = context.begin()?;
    let guarded = Guarded::of(session.checkout())?;
    if guarded == Guarded::Ready {
        return ready_gate(context, session, screen, &input);
    }
    let (mut found, mut is_incomplete) = (BTreeSet::<String>::new(), false);
    for PushedRef { commit, to, .. } in pushed(&input) {
        let list = List {
            scope: Scope::Seen,
            filter: Filter {
                statuses: vec![ThreadStatus::Open],
                severities: vec![SeverityView::Blocker],
                into: (guarded == Guarded::Base).then(|| ByteText::new(to.as_bytes())),
                ..Filter::default()
            },
            head: HeadName::Rev(commit.to_owned()),
            freshness: Freshness::Wait,
            detail: if context.is_json() { Detail::Brief } else { Detail::Line },
            code: 0,
            order: ListOrder::File,
            limit: None,
            cursor: None,
        };
        let reply = gather(list, &mut session)?;
        found.extend(reply.lines.iter().map(|line| line.short.clone()));
        found.extend(reply.threads.iter().map(|thread| thread.short.clone()));
        is_incomplete |= reply.incomplete;
        if context.is_json() {
            screen.json::<RepositoryRequest<List>>(&reply)?;
        } else {
            for line in &reply.lines {
                screen.listed(line)?;
            }
            screen.warnings(&reply.warnings);
        }
    }
    screen.close()?;
    if found.is_empty() {
        return if is_incomplete { Err(Failure::unchecked()) } else { Ok(()) };
    }
    let named: Vec<String> = found.into_iter().collect();
    let named = named.join(" ");
    Err(Failure::new(FailureKind::CheckFailed, "the commits being pushed have open blockers")
        .because(format!("these threads are open: {named}"))
        .hint(format!(
            "see them with `postil show {named}`, and resolve them; to push anyway, use `git push --no-verify`"
        ))
        .in_result())
}

/// Fails if a review is pushed to its base that is not ready, by the rule that the remote has before the push.
fn ready_gate(
    context: &Context,
    mut session: CommandSession,
    mut screen: Screen,
    input: &str,
) -> Result<(), Failure> {
    let mut unready = Vec::new();
    for PushedRef { commit, to, replaced } in pushed(input) {
        let id = |id: &str| Hex::new(id).map_err(|_| Failure::new(FailureKind::Unavailable, "not an id"));
        let merging = ReviewMerge {
            commit: id(commit)?,
            onto: replaced.map(id).transpose()?,
            into: ByteText::new(to.as_bytes()),
        };
        let reply = session.ask(ReviewReady { review: None, merging: Some(merging) })?;
        if context.is_json() {
            screen.json::<RepositoryRequest<ReviewReady>>(&reply)?;
        }
        unready.extend(reply.reviews.into_iter().filter(|review| !review.state.ready));
    }
    if !context.is_json() {
        for review in &unready {
            screen.review_name(review)?;
            screen.ready(&review.state)?;
        }
    }
    screen.close()?;
    let hint = "to push anyway, use `git push --no-verify`";
    unready_failure(&unready).map_or(Ok(()), |failure| Err(failure.hint(hint)))
}

/// A branch that is pushed.
#[derive(Debug, PartialEq, Eq)]
struct PushedRef<'a> {
    /// The commit that it gets.
    commit: &'a str,
    /// Its name on the remote.
    to: &'a str,
    /// The commit that it has there; `None` if it is new.
    replaced: Option<&'a str>,
}

/// The commits that go to branches, and to which; git says `<local ref> <local id> <remote ref> <remote id>` a line.
fn pushed(input: &str) -> impl Iterator<Item = PushedRef<'_>> {
    input.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (commit, to, replaced) = (words.nth(1)?, words.next()?, words.next()?);
        // A branch that is deleted is pushed as zeros, and one that is new replaces zeros.
        let is_some = |id: &str| id.bytes().any(|digit| digit != b'0');
        let replaced = Some(replaced).filter(|id| is_some(id));
        (to.starts_with("refs/heads/") && is_some(commit)).then_some(PushedRef { commit, to, replaced })
    })
}

/// The hook, and where the one before it is kept: below `core.hooksPath`, as git has it.
fn places(checkout: &Checkout) -> (PathBuf, PathBuf) {
    let dir = checkout.path_setting("core.hooksPath");
    let dir = dir.unwrap_or_else(|| checkout.common_dir().join("hooks"));
    (dir.join("pre-push"), dir.join(BEFORE))
}

/// Whether something exists there, even a dangling link: writing to it would create its target.
fn is_there(hook: &Path) -> bool {
    fs::symlink_metadata(hook).is_ok()
}

fn is_ours(hook: &Path) -> bool {
    fs::read(hook).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(MARK))
}

/// What the hook is; without postil it stops the push: a gate that cannot look must not be taken for an open one.
///
/// Programs with windows often start git with a short PATH, so the program that made the hook is tried as well. A push
/// with nothing to push says nothing to a hook, and the hook before must hear nothing too.
fn script(program: &Path) -> Vec<u8> {
    let quoted = program.as_os_str().as_bytes().split(|byte| *byte == b'\'').collect::<Vec<_>>();
    let quoted = [b"'", quoted.join(&br"'\''"[..]).as_slice(), b"'"].concat();
    let script = format!(
        r#"#!/bin/sh
{MARK}; remove it with `postil hook uninstall`
input=$(cat; echo .)
input=${{input%.}}
before=$(dirname "$0")/{BEFORE}
if [ -x "$before" ]; then
    printf '%s' "$input" | "$before" "$@" || exit $?
fi
postil=$(command -v postil) || postil={PROGRAM}
if [ ! -x "$postil" ]; then
    rid="delete $0"
    [ ! -e "$before" ] || rid="move $before to $0"
    printf '%s\n' "error: nothing was pushed: could not check the reviews, since postil was not found" \
        "  because: it is neither on the PATH nor at $postil" \
        "hint: to push anyway, use \`git push --no-verify\`; to remove the hook, $rid" >&2
    exit 5
fi
printf '%s' "$input" | "$postil" hook pre-push -- "$@"
"#
    );
    let (start, end) = script.split_once(PROGRAM).expect("the script has it once");
    [start.as_bytes(), &quoted, end.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commits_that_go_to_branches_are_looked_at() {
        let zeros = "0".repeat(40);
        let input = format!(
            "refs/heads/a 1111 refs/heads/a 2222\n(delete) {zeros} refs/heads/b 3333\n\
             refs/notes/x 4444 refs/notes/x 5555\nnonsense\n"
        );
        let expected = PushedRef { commit: "1111", to: "refs/heads/a", replaced: Some("2222") };
        assert_eq!(pushed(&input).collect::<Vec<_>>(), [expected]);
        let new = format!("refs/heads/a 1111 refs/heads/a {zeros}\n");
        assert_eq!(pushed(&new).next().and_then(|pushed| pushed.replaced), None);
    }
}
