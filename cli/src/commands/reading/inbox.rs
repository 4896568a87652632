//! `postil inbox`

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use postil_client::{DaemonSetting, IfNotRunning, RepositoryArgs, now};
use postil_protocol::{
    ByteText, Client, ClientError, DaemonStatus, Hex, Inbox, InboxReply, InboxReview, MarkRead, Pending,
    Person, RepositoryName, RepositoryRequest, ViaView,
};
use postil_socket::RuntimeDirs;

use crate::commands::Context;
use crate::connect::{CommandSession, connect};
use crate::failure::Failure;
use crate::render::{Screen, repository_name};

/// List what waits for you, in all repositories
///
/// Lists the reviews that need your verdict on their current commits, new verdicts
/// on your reviews, and unread comments and changes by others in your reviews and
/// in threads you took part in.
///
/// Covers all repositories that the daemon watches, and the current one. What you
/// have read is kept on this machine: `postil show` marks a thread as read,
/// `postil review show` the verdicts of a review, and --mark-read everything.
///
/// Examples:
///
///     postil inbox
///     postil inbox --here
///     postil inbox --mark-read
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct InboxArgs {
    /// Only this repository
    #[arg(long)]
    here: bool,

    /// Mark everything in these repositories as read, including what is not listed
    #[arg(long)]
    mark_read: bool,

    /// Exit with 1 if the inbox is not empty
    #[arg(long)]
    exit_code: bool,
}

/// Who is asked for the inbox of a repository.
enum InboxSource {
    /// The session of the command.
    Session(Box<CommandSession>),
    /// The daemon, about a repository by its git directory.
    Daemon(ByteText),
}

impl InboxSource {
    /// Whether the repository is still there.
    fn is_here(&self) -> bool {
        match self {
            Self::Session(session) => session.checkout().common_dir().is_dir(),
            Self::Daemon(git_dir) => path(git_dir).is_dir(),
        }
    }
}

/// Lists what waits.
pub fn run(args: &InboxArgs, context: &Context) -> Result<(), Failure> {
    let here = context.begin();
    // Outside of a repository there are those that the daemon knows.
    let (session, mut screen) = match here {
        Ok((session, screen)) => (Some(session), screen),
        Err(failure) if args.here => return Err(failure),
        Err(failure) => match first_known(context) {
            Some(found) => found,
            None => return Err(failure),
        },
    };
    let via = context.acting().program().declared();
    let now = session.as_ref().map_or_else(now, CommandSession::now);
    let own_dir = session.as_ref().map(|session| session.checkout().common_dir().to_owned());
    let mut sources: Vec<InboxSource> =
        session.into_iter().map(|session| InboxSource::Session(Box::new(session))).collect();
    let mut client = None;
    if !args.here {
        match daemon() {
            Some(mut connected) => {
                let known = known_to(&mut connected);
                let others = known.into_iter().filter(|dir| own_dir.as_deref() != Some(path(dir)));
                sources.extend(others.map(InboxSource::Daemon));
                client = Some(connected);
            }
            None => sources.extend(without_daemon(context, own_dir.as_deref())),
        }
    }
    let found = ask(&mut sources, client.as_mut(), via.as_ref());
    let mut waiting = Vec::new();
    let (mut asked, mut is_incomplete) = (0, false);
    for (mut source, reply) in sources.into_iter().zip(found) {
        let reply = match (&mut source, reply) {
            (_, Ok(reply)) => reply,
            // That of the person is theirs to mend; of the others, one may be gone since.
            (InboxSource::Session(_), Err(failure)) if asked == 0 => return Err(failure),
            (source, Err(_)) => {
                is_incomplete |= source.is_here();
                continue;
            }
        };
        asked += 1;
        is_incomplete |= reply.incomplete;
        if args.mark_read {
            mark_read(&mut source, &reply, client.as_mut(), via.as_ref())?;
        }
        waiting.push(reply);
    }
    let is_empty = waiting.iter().all(|reply| reply.reviews.is_empty());
    let told = show(&waiting, args, context, now, &mut screen);
    let told = told.and_then(|()| screen.close());
    if args.exit_code && is_empty && is_incomplete {
        told?;
        return Err(Failure::unchecked());
    }
    Failure::checked(args.exit_code && !is_empty, told)
}

fn show(
    replies: &[InboxReply],
    args: &InboxArgs,
    context: &Context,
    now: u64,
    screen: &mut Screen,
) -> Result<(), Failure> {
    if context.is_json() {
        return replies.iter().try_for_each(|reply| screen.json::<RepositoryRequest<Inbox>>(reply));
    }
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let name = |reply: &InboxReply| repository_name(path(&reply.git_dir), home.as_deref());
    let (replies, also) = each_once(replies, name);
    let waiting: Vec<&InboxReply> = replies.iter().filter(|reply| !reply.reviews.is_empty()).collect();
    if waiting.is_empty() {
        screen.print_message("nothing waits for you");
    } else {
        screen.page();
        for (at, reply) in waiting.iter().enumerate() {
            if at > 0 {
                screen.line("")?;
            }
            screen.inbox(reply, &name(reply), &also, now)?;
        }
        screen.inbox_counts(&replies)?;
    }
    if args.mark_read {
        screen.print_message("all marked as read");
    }
    Ok(())
}

/// The replies with each review once, though several clones have it: where most of it waits. Returns also in which
/// other clones it waits, by its id.
fn each_once(
    replies: &[InboxReply],
    name: impl Fn(&InboxReply) -> String,
) -> (Vec<InboxReply>, BTreeMap<Hex, Vec<String>>) {
    let id = |one: &InboxReview| one.review.as_ref().map(|review| review.id.clone());
    let news = |one: &InboxReview| {
        let threads = one.threads.iter().map(|thread| thread.news.len()).sum::<usize>();
        (one.asked.is_some(), threads + one.verdicts.len())
    };
    let mut fullest: BTreeMap<Hex, (usize, (bool, usize))> = BTreeMap::new();
    for (at, reply) in replies.iter().enumerate() {
        for (one, id) in reply.reviews.iter().filter_map(|one| Some((one, id(one)?))) {
            let known = fullest.entry(id).or_insert((at, news(one)));
            if news(one) > known.1 {
                *known = (at, news(one));
            }
        }
    }
    let mut also: BTreeMap<Hex, Vec<String>> = BTreeMap::new();
    let mut kept = replies.to_vec();
    for (at, reply) in kept.iter_mut().enumerate() {
        let told = name(reply);
        reply.reviews.retain(|one| {
            let Some(id) = id(one) else { return true };
            let is_here = fullest.get(&id).is_some_and(|(fullest, _)| *fullest == at);
            if !is_here {
                also.entry(id).or_default().push(told.clone());
            }
            is_here
        });
    }
    (kept, also)
}

/// The daemon that runs, if it is to be used.
fn daemon() -> Option<Client> {
    if DaemonSetting::in_environment() == Some(DaemonSetting::Off) {
        return None;
    }
    connect(IfNotRunning::Leave).ok().map(|(client, _)| client)
}

/// The repositories that the daemon watches.
fn known_to(client: &mut Client) -> Vec<ByteText> {
    let reply = client.ask(&DaemonStatus {});
    reply.map(|reply| reply.repositories.into_iter().map(|one| one.git_dir).collect()).unwrap_or_default()
}

/// Those that the last daemon had written down.
fn recorded() -> Vec<PathBuf> {
    let dirs = RuntimeDirs::of_this_user();
    dirs.map(|dirs| postil_daemon::known_repositories(&dirs.registry())).unwrap_or_default()
}

/// Sessions of the recorded repositories, in this process.
fn without_daemon(context: &Context, own: Option<&Path>) -> Vec<InboxSource> {
    let others = recorded().into_iter().filter(|dir| own != Some(dir.as_path()) && dir.is_dir());
    let opened = others.filter_map(|dir| {
        let at = RepositoryArgs::new(dir.clone(), Some(dir), None);
        let (session, _) = Context { at, ..context.clone() }.begin_in_process().ok()?;
        Some(InboxSource::Session(Box::new(session)))
    });
    opened.collect()
}

/// For who is in no repository: a screen with the settings of the first one that is known.
fn first_known(context: &Context) -> Option<(Option<CommandSession>, Screen)> {
    let dir = recorded().into_iter().find(|dir| dir.is_dir())?;
    let at = RepositoryArgs::new(dir.clone(), Some(dir), None);
    let (_, screen) = Context { at, ..context.clone() }.begin_in_process().ok()?;
    Some((None, screen))
}

/// Asks all; the daemon is sent every question before the first answer is awaited.
fn ask(
    sources: &mut [InboxSource],
    client: Option<&mut Client>,
    via: Option<&ViaView>,
) -> Vec<Result<InboxReply, Failure>> {
    let gone = || Failure::new(crate::failure::FailureKind::Unavailable, "the repository did not answer");
    let mut replies: Vec<Option<Result<InboxReply, Failure>>> = sources.iter().map(|_| None).collect();
    let mut pending: Vec<(usize, Pending)> = Vec::new();
    if let Some(client) = client {
        for (at, source) in sources.iter().enumerate() {
            let InboxSource::Daemon(git_dir) = source else { continue };
            if let Ok(sent) = client.send(&about(git_dir, via, Inbox {})) {
                pending.push((at, sent));
            }
        }
        for (at, source) in sources.iter_mut().enumerate() {
            if let InboxSource::Session(session) = source {
                replies[at] = Some(session.ask(Inbox {}));
            }
        }
        while !pending.is_empty() && client.wait_for_line().is_ok() {
            let mut answered = None;
            for (nth, (at, sent)) in pending.iter().enumerate() {
                let seed = std::marker::PhantomData::<InboxReply>;
                match client.read_answer(sent, seed) {
                    Ok(Some(reply)) => answered = Some((nth, *at, Ok(reply))),
                    Err(ClientError::Fault(_)) => answered = Some((nth, *at, Err(gone()))),
                    Ok(None) | Err(_) => continue,
                }
                break;
            }
            if let Some((nth, at, reply)) = answered {
                let _ = pending.swap_remove(nth);
                replies[at] = Some(reply);
            }
        }
    } else {
        for (at, source) in sources.iter_mut().enumerate() {
            if let InboxSource::Session(session) = source {
                replies[at] = Some(session.ask(Inbox {}));
            }
        }
    }
    replies.into_iter().map(|reply| reply.unwrap_or_else(|| Err(gone()))).collect()
}

fn mark_read(
    source: &mut InboxSource,
    reply: &InboxReply,
    client: Option<&mut Client>,
    via: Option<&ViaView>,
) -> Result<(), Failure> {
    let params = MarkRead { all: true, shown: Some(reply.mark.clone()), ..MarkRead::default() };
    match (source, client) {
        (InboxSource::Session(session), _) => session.ask(params).map(drop),
        (InboxSource::Daemon(git_dir), Some(client)) => {
            let marked = client.ask(&about(git_dir, via, params));
            marked.map(drop).map_err(|error| {
                let what = "could not save what was read";
                Failure::new(crate::failure::FailureKind::Unavailable, what).because(error)
            })
        }
        (InboxSource::Daemon(_), None) => Ok(()),
    }
}

/// A request about another repository; its own settings say who asks, unless the environment does.
fn about<P>(git_dir: &ByteText, via: Option<&ViaView>, params: P) -> RepositoryRequest<P> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let author = variable("GIT_AUTHOR_EMAIL")
        .map(|email| Person::new(variable("GIT_AUTHOR_NAME").unwrap_or_default(), email));
    RepositoryRequest {
        repository: RepositoryName { git_dir: git_dir.clone(), work_tree: None },
        author,
        via: via.cloned(),
        utc_offset: 0,
        at: None,
        buffers: Vec::new(),
        params,
    }
}

fn path(dir: &ByteText) -> &Path {
    Path::new(OsStr::from_bytes(dir.as_bytes()))
}

#[cfg(test)]
mod tests {
    use postil_protocol::{InboxReviewName, Mark, ReviewStatus, Verdict, VerdictView};

    use super::*;

    fn review(id: char, verdicts: usize) -> InboxReview {
        let name = InboxReviewName {
            id: Hex::new(id.to_string().repeat(32)).unwrap(),
            short: id.into(),
            title: "Topic".into(),
            branch: "refs/heads/topic".into(),
            status: ReviewStatus::Open,
            author: Person::new("Ann", "ann@example.com"),
        };
        let verdict: VerdictView = serde_json::from_value(serde_json::json!({
            "id": "aa", "short": "aa", "author": { "name": "Ben", "email": "ben@example.com" }, "at": 1,
            "verdict": Verdict::Approve, "text": "", "head": "aa", "current": true, "stands": true,
        }))
        .unwrap();
        InboxReview { review: Some(name), verdicts: vec![verdict; verdicts], ..InboxReview::default() }
    }

    #[test]
    fn a_review_in_several_clones_is_told_once_where_most_of_it_waits() {
        let reply = |dir: &str, reviews: Vec<InboxReview>| InboxReply {
            git_dir: dir.into(),
            who: None,
            reviews,
            more: 0,
            incomplete: false,
            mark: Mark::default(),
            warnings: Vec::new(),
        };
        let without = InboxReview::default();
        let replies = [
            reply("/a", vec![review('1', 1), review('2', 0), without.clone()]),
            reply("/b", vec![review('1', 2), without.clone()]),
            reply("/c", vec![review('1', 2)]),
        ];
        let (kept, also) = each_once(&replies, |reply| reply.git_dir.as_str().unwrap().to_owned());
        let kept: Vec<Vec<InboxReview>> = kept.into_iter().map(|reply| reply.reviews).collect();
        assert_eq!(kept, [vec![review('2', 0), without.clone()], vec![review('1', 2), without], vec![]]);
        let names: Vec<&Vec<String>> = also.values().collect();
        assert_eq!(names, [&["/a", "/c"]]);
    }
}
