//! Who may do what: people, agents and tools, for every method and every client.
//!
//! One table. An agent or a tool is what declares itself as one: a program that hides that and runs as the user is the
//! user. People may do everything, agents read and write as far as a person allows it in their own configuration,
//! and nobody but a person resolves, applies, publishes or shares.

use postil_core::git::Repository;
use postil_core::record::ViaKind;
use postil_core::review::Comment;
use postil_protocol::{Advice, Call, Fault, FaultCode};

use crate::convert::actor::Actor;
use crate::request::Request;

/// Where a person says what their agents may write.
const SETTING: &str = "postil.agents";

/// Where a person says which comments their agents get.
pub(crate) const READS_SETTING: &str = "postil.agentsRead";

/// The method that closes threads.
const RESOLVE: &str = "resolve";

/// What the agents of a person may do: the words of `postil.agents`, from little to much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentLevel {
    /// They read.
    #[default]
    Read,
    /// They write drafts, which a person publishes.
    Draft,
    /// They write what everybody sees.
    Write,
}

/// What a method is to a kind of author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Allowed.
    Always,
    /// Allowed to agents from [`AgentLevel::Draft`] on, as a draft, and otherwise from [`AgentLevel::Write`] on.
    Draft,
    /// Allowed to agents from [`AgentLevel::Draft`] on for their own drafts ([`check_own_drafts`]), and otherwise from
    /// [`AgentLevel::Write`] on.
    Drafts,
    /// For people only.
    Never,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MethodRule {
    /// The method.
    pub method: &'static str,
    /// What it does, as in "an agent may not …".
    pub does: &'static str,
    /// What it is to agents.
    pub agents: Rule,
    /// What it is to tools.
    pub tools: Rule,
}

macro_rules! rules {
    ($($method:literal $does:literal $agents:ident $tools:ident;)*) => {
        /// The table. Every method of the service has a row.
        pub(crate) const RULES: &[MethodRule] =
            &[$(MethodRule { method: $method, does: $does, agents: Rule::$agents, tools: Rule::$tools }),*];
    };
}

rules! {
    // method         what it does                      agents  tools
    "init"            "set up a repository"             Never   Always;
    "comment"         "comment"                         Draft   Always;
    "comment.batch"   "comment"                         Draft   Always;
    "reply"           "reply"                           Draft   Always;
    "edit"            "edit comments"                   Drafts  Always;
    "resolve"         "resolve threads"                 Never   Never;
    "reopen"          "reopen threads"                  Never   Never;
    "withdraw"        "withdraw comments"               Drafts  Always;
    "move"            "move comments"                   Never   Never;
    "propose"         "propose something"               Draft   Always;
    "answer"          "answer proposals"                Never   Never;
    "apply"           "look at a suggestion"            Always  Always;
    "patch"           "look at a patch"                 Always  Always;
    "apply.write"     "apply changes"                   Never   Never;
    "undo"            "undo changes"                    Never   Never;
    "list"            "list threads"                    Always  Always;
    "changes"         "follow changes"                  Always  Always;
    "show"            "show threads"                    Always  Always;
    "log"             "show the history of threads"     Always  Always;
    "diff"            "show changes with threads"       Always  Always;
    "review.start"    "start reviews"                   Draft   Always;
    "review.list"     "list reviews"                    Always  Always;
    "review.show"     "show reviews"                    Always  Always;
    "review.since"    "show what changed in a review"   Always  Always;
    "review.ready"    "check whether a review is ready" Always  Always;
    "review.verdict"  "give verdicts"                   Never   Never;
    "review.change"   "close or reopen reviews"         Never   Never;
    "review.edit"     "edit reviews"                    Never   Never;
    "review.request"  "ask people to review"            Never   Always;
    "publish"         "publish drafts"                  Never   Never;
    "sync"            "sync with remotes"               Never   Never;
    "import"          "import comments"                 Never   Always;
    "export"          "export comments"                 Always  Always;
    "status"          "show the status"                 Always  Always;
    "inbox"           "show what waits for a person"    Always  Always;
    "stats"           "count how comments drift"        Always  Always;
    "read"            "mark threads as read"            Never   Never;
    "purge"           "purge comments"                  Never   Never;
    "doctor"          "repair a repository"             Always  Always;
    "write-positions" "write positions"                 Never   Never;
}

/// Checks that who asks for this may do it, as the configuration of this repository's user says.
pub(crate) fn check(call: &Call, repo: &Repository) -> Result<(), Fault> {
    let Some(via) = call.via() else { return Ok(()) };
    let kind = ViaKind::from(via.kind.clone());
    allows(call, &kind, || AgentLevel::of(repo))
}

fn allows(
    call: &Call,
    kind: &ViaKind,
    level: impl FnOnce() -> Result<AgentLevel, Fault>,
) -> Result<(), Fault> {
    let row = rule_of(if resolves(call) { RESOLVE } else { call.name() });
    let rule = match kind {
        ViaKind::Agent => row.agents,
        ViaKind::Tool => row.tools,
        ViaKind::Other(word) => {
            let words = vec!["agent".to_owned(), "tool".to_owned()];
            return Err(Fault::new(FaultCode::InvalidParams, format!("invalid kind of program: {word:?}"))
                .advise(Advice::ChooseWord { words }));
        }
    };
    let refused = |why: &str, advice: Advice| {
        let kind = if *kind == ViaKind::Agent { "an agent" } else { "a tool" };
        let message = format!("{kind} may not {}{why}", row.does);
        let mut fault = Fault::new(FaultCode::Refused, message).advise(advice);
        fault.data.reason = Some("not-allowed".into());
        fault
    };
    match rule {
        Rule::Always if repairs(call) => Err(refused("", Advice::LetPersonDo)),
        Rule::Always => Ok(()),
        Rule::Never if matches!(row.method, RESOLVE | "move") => Err(refused("", Advice::ProposeInstead)),
        Rule::Never => Err(refused("", Advice::LetPersonDo)),
        Rule::Draft | Rule::Drafts => match level()? {
            AgentLevel::Write => Ok(()),
            AgentLevel::Draft if rule == Rule::Drafts || is_draft(call) => Ok(()),
            AgentLevel::Draft => Err(refused(" in public here, only as a draft", Advice::KeepAsDraft)),
            AgentLevel::Read => Err(refused(" here", Advice::AllowAgents { setting: SETTING.to_owned() })),
        },
    }
}

/// Checks that an agent that may write drafts changes no more than those that it wrote itself.
pub(crate) fn check_own_drafts(call: &Call, request: &Request) -> Result<(), Fault> {
    let (names, actor) = match call {
        Call::Edit(call) if call.via.is_some() => {
            (vec![call.params.of.as_str()], Actor::of(call, request.now)?)
        }
        Call::Withdraw(call) if call.via.is_some() => {
            (call.params.comments.iter().map(String::as_str).collect(), Actor::of(call, request.now)?)
        }
        _ => return Ok(()),
    };
    let is_agent = actor.via.as_ref().is_some_and(|via| via.kind == ViaKind::Agent);
    if !is_agent || AgentLevel::of(request.work_tree.repository())? == AgentLevel::Write {
        return Ok(());
    }
    let notes = &request.notes;
    let is_own = |comment: &Comment| {
        comment.said().author.email == actor.author.email && notes.drafts.contains(&comment.id())
    };
    for name in names {
        let comment = notes.comment_named(name)?;
        // With the first comment of a draft, those below it go too.
        let thread = notes.threads.thread(comment.id()).filter(|_| matches!(call, Call::Withdraw(_)));
        if !is_own(comment) || thread.is_some_and(|thread| !thread.comments().all(is_own)) {
            let does = rule_of(call.name()).does;
            let message = format!("an agent may not {does} here, except its own drafts");
            let advice = Advice::AllowAgents { setting: SETTING.to_owned() };
            let mut fault = Fault::new(FaultCode::Refused, message).advise(advice);
            fault.data.reason = Some("not-allowed".into());
            return Err(fault);
        }
    }
    Ok(())
}

/// The row of a method; one that is not in the table is for people only.
pub(crate) fn rule_of(method: &str) -> MethodRule {
    let row = RULES.iter().find(|row| row.method == method).copied();
    row.unwrap_or(MethodRule { method: "", does: "do that", agents: Rule::Never, tools: Rule::Never })
}

/// Whether a look at the repository is to change it.
fn repairs(call: &Call) -> bool {
    matches!(call, Call::Doctor(call) if call.params.fix || !call.params.restore.is_empty())
}

/// Whether something else is to resolve a thread too.
fn resolves(call: &Call) -> bool {
    matches!(call, Call::Reply(call) if call.params.resolve)
}

/// Whether what is written stays here until a person publishes it.
fn is_draft(call: &Call) -> bool {
    match call {
        Call::Comment(call) => call.params.draft,
        Call::CommentBatch(call) => call.params.draft,
        Call::Reply(call) => call.params.draft,
        Call::Propose(call) => call.params.draft,
        Call::ReviewStart(call) => call.params.draft,
        _ => false,
    }
}

impl AgentLevel {
    /// What the user's own configuration says.
    pub fn of(repo: &Repository) -> Result<Self, Fault> {
        let levels = [("read", Self::Read), ("draft", Self::Draft), ("write", Self::Write)];
        Ok(own_setting(repo, SETTING, &levels)?.unwrap_or_default())
    }
}

/// Which comments agents get: the words of `postil.agentsRead`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentReads {
    /// All, each with how far somebody vouches for it.
    #[default]
    All,
    /// Those that are signed or were written here; of others, the number.
    Trusted,
}

impl AgentReads {
    /// What whoever asks gets: agents as the user's own configuration says, everybody else all.
    ///
    /// A setting that cannot be read withholds what nobody vouches for.
    pub fn of(call: &Call, repo: &Repository) -> Self {
        let is_agent = call.via().is_some_and(|via| ViaKind::from(via.kind.clone()) == ViaKind::Agent);
        if !is_agent {
            return Self::All;
        }
        let words = [("all", Self::All), ("trusted", Self::Trusted)];
        own_setting(repo, READS_SETTING, &words).map_or(Self::Trusted, Option::unwrap_or_default)
    }
}

/// A word in the user's own configuration, never in the repository's: whoever made that would decide for them.
fn own_setting<T: Copy>(repo: &Repository, name: &str, words: &[(&str, T)]) -> Result<Option<T>, Fault> {
    let Some(said) = own_text(repo, name) else { return Ok(None) };
    let said = said.to_ascii_lowercase();
    match words.iter().find(|(word, _)| *word == said) {
        Some((_, meaning)) => Ok(Some(*meaning)),
        None => {
            let words = words.iter().map(|(word, _)| (*word).to_owned()).collect();
            let message = format!("invalid value of {name}: {said:?}");
            Err(Fault::new(FaultCode::Refused, message).advise(Advice::ChooseWord { words }))
        }
    }
}

/// What the user's own configuration says.
pub(super) fn own_text(repo: &Repository, name: &str) -> Option<String> {
    use gix::config::Source;
    let handle = repo.handle();
    let config = handle.config_snapshot();
    let is_own = |section: &gix::config::file::Metadata| matches!(section.source, Source::Git | Source::User);
    config.plumbing().string_filter(name, is_own).map(|said| said.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LEVELS: [AgentLevel; 3] = [AgentLevel::Read, AgentLevel::Draft, AgentLevel::Write];

    /// A call of a method with whatever parameters it needs.
    fn call(method: &str, draft: bool) -> Call {
        let more = match method {
            "comment.batch" => r#","items":[]"#,
            "comment" | "edit" => r#","text":"t","of":"@""#,
            "reply" => r#","to":"@","text":"t""#,
            "resolve" | "reopen" | "propose" => r#","threads":[]"#,
            "answer" => r#","threads":[],"answer":"accept""#,
            "withdraw" => r#","comments":[]"#,
            "move" => r#","of":"@","to":{"candidate":1}"#,
            "apply" | "purge" => r#","of":[]"#,
            "show" | "log" => r#","of":"@""#,
            "review.verdict" => r#","verdict":"approve""#,
            "review.change" => r#","status":"closed""#,
            "review.request" => r#","who":[]"#,
            _ => "",
        };
        let params = format!(r#"{{"repository":{{"git_dir":"/r/.git"}},"draft":{draft}{more}}}"#);
        match Call::from_parts(method, &params) {
            Some(Ok(call)) => call,
            other => panic!("{method}: {other:?}"),
        }
    }

    fn is_allowed(call: &Call, kind: &ViaKind, level: AgentLevel) -> bool {
        allows(call, kind, || Ok(level)).is_ok()
    }

    #[test]
    fn every_method_is_decided_once() {
        let methods: Vec<&str> = Call::METHODS.iter().map(|method| method.name).collect();
        let decided: Vec<&str> = RULES.iter().map(|row| row.method).collect();
        let of = |names: &[&'static str]| names.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(of(&decided), of(&methods), "a new method needs a row");
        assert_eq!(decided.len(), methods.len(), "one row each");
    }

    /// What each kind of author may do, spelled out: a change of the table is a change of this.
    #[test]
    fn agents_read_and_write_as_far_as_they_are_allowed_and_the_rest_is_for_people() {
        let always = [
            "apply",
            "patch",
            "list",
            "changes",
            "show",
            "log",
            "diff",
            "review.list",
            "review.show",
            "review.since",
            "review.ready",
            "export",
            "status",
            "inbox",
            "stats",
            "doctor",
        ];
        let drafts = ["comment", "comment.batch", "reply", "propose", "review.start"];
        let writes = ["edit", "withdraw"];
        let tools = ["init", "import", "review.request"];
        // These need parameters that are long to write; the rows are looked at instead.
        let unread = ["apply", "patch", "apply.write", "import", "export"];
        for method in Call::METHODS.iter().map(|method| method.name) {
            let row = rule_of(method);
            let own = always.contains(&method) || drafts.contains(&method) || writes.contains(&method);
            assert_eq!(row.tools == Rule::Always, own || tools.contains(&method), "{method}");
            assert!(!matches!(row.tools, Rule::Draft | Rule::Drafts), "{method}");
            if unread.contains(&method) {
                assert_eq!(row.agents == Rule::Always, always.contains(&method), "{method}");
                continue;
            }
            for (draft, level) in [false, true].into_iter().flat_map(|draft| LEVELS.map(|l| (draft, l))) {
                let expected = always.contains(&method)
                    || (level == AgentLevel::Write && (drafts.contains(&method) || writes.contains(&method)))
                    || (level == AgentLevel::Draft && draft && drafts.contains(&method))
                    // Which comments is decided when they are known.
                    || (level == AgentLevel::Draft && writes.contains(&method));
                let call = call(method, draft);
                assert_eq!(is_allowed(&call, &ViaKind::Agent, level), expected, "{method} {draft} {level:?}");
                assert_eq!(is_allowed(&call, &ViaKind::Tool, level), row.tools == Rule::Always, "{method}");
                assert!(!is_allowed(&call, &ViaKind::Other("x".into()), level), "{method}");
            }
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let refused = |method: &str, draft: bool, level: AgentLevel| {
            let fault = allows(&call(method, draft), &ViaKind::Agent, || Ok(level)).unwrap_err();
            (fault.message.to_string(), fault.advice().map(|advice| advice.word()))
        };
        let check = |told: (String, Option<&str>), message: &str, advice: &str| {
            assert_eq!((told.0.as_str(), told.1), (message, Some(advice)));
        };
        let (read, draft) = (AgentLevel::Read, AgentLevel::Draft);
        check(refused("resolve", false, read), "an agent may not resolve threads", "propose-instead");
        check(refused("publish", false, read), "an agent may not publish drafts", "let-person-do");
        check(refused("comment", false, read), "an agent may not comment here", "allow-agents");
        let only_drafts = "an agent may not comment in public here, only as a draft";
        check(refused("comment", false, draft), only_drafts, "keep-as-draft");
    }

    #[test]
    fn a_look_at_the_repository_is_not_a_repair() {
        let params = r#"{"repository":{"git_dir":"/r/.git"},"fix":true}"#;
        let fix = Call::from_parts("doctor", params).unwrap().unwrap();
        assert!(!is_allowed(&fix, &ViaKind::Agent, AgentLevel::Write));
        assert!(is_allowed(&call("doctor", false), &ViaKind::Agent, AgentLevel::Read));
    }
}
