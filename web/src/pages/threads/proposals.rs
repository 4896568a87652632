//! What programs and people propose for a thread, and the buttons that answer it.

use maud::{Markup, PreEscaped, html};
use postil_protocol::{ProposalStatus, ProposalView, ThreadView};

use super::author::{avatar, who};
use super::position_words::place;
use crate::markdown;
use crate::pages::shell::PageFrame;
use crate::pages::when::ago;

/// The proposals that wait for an answer, and those that were overtaken.
pub(super) fn proposals(thread: &ThreadView, frame: &PageFrame<'_>) -> Markup {
    let is_shown = |proposal: &&ProposalView| {
        matches!(proposal.state, ProposalStatus::Pending | ProposalStatus::Overtaken)
    };
    let is_pending = thread.proposals.iter().any(|proposal| proposal.state == ProposalStatus::Pending);
    html! {
        @for proposal in thread.proposals.iter().filter(is_shown) { (one(proposal, frame)) }
        @if is_pending && frame.is_writable {
            div.acts.answer data-js {
                button.act type="button" data-act="accept" { "Accept" }
                button.act type="button" data-act="decline" { "Decline" }
            }
        }
    }
}

fn one(proposal: &ProposalView, frame: &PageFrame<'_>) -> Markup {
    let says = match (&proposal.done, &proposal.place, &proposal.message) {
        (Some(commit), ..) if proposal.obsolete => {
            format!("says that this no longer fits the code at {}", short(commit.as_str()))
        }
        (Some(_), ..) if proposal.uncommitted => "says that this is done, not committed yet".to_owned(),
        (Some(commit), ..) => format!("says that this is done at {}", short(commit.as_str())),
        (None, Some(anchor), _) => format!("says that this belongs to {}", place(anchor)),
        (None, None, Some(message)) => {
            format!("says that this belongs to the message of {}", short(message.commit.as_str()))
        }
        (None, None, None) => "proposes something that this version does not know".to_owned(),
    };
    html! {
        div.proposal {
            div.by { (avatar(&proposal.author)) (who(&proposal.author)) span { (says) } (ago(proposal.at, frame.now))
                @if proposal.draft { span.chip.draft { "draft" } }
                @if proposal.state == ProposalStatus::Overtaken {
                    span.chip title="The commented lines changed since" { "overtaken" }
                }
            }
            @if !proposal.text.trim().is_empty() { div.text { (PreEscaped(markdown::to_html(&proposal.text))) } }
        }
    }
}

fn short(commit: &str) -> &str {
    &commit[..7.min(commit.len())]
}
