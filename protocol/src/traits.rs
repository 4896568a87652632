//! The columns of the table of methods, besides the types.
//!
//! Code that needs one of these reads the table: there is no second list of methods.

use crate::wire::fault::{Fault, FaultCode};

/// The columns of a method in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Its name.
    pub name: &'static str,
    /// Whether it changes stored data.
    pub effect: Effect,
    /// Whether its answer depends on the branches under review, which are then followed first.
    pub follows_reviews: bool,
    /// Whether damaged notes are healed first; the other methods report the damage.
    pub heals: bool,
    /// Which process can answer it.
    pub runs: RunsIn,
    /// The programs that offer it.
    pub frontends: &'static [Frontend],
    /// What is shown while it runs.
    pub progress: &'static str,
}

/// Whether a method changes stored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It changes nothing: it can be cancelled, and equal requests may share an answer.
    Reads,
    /// It is done completely or not at all.
    Writes,
}

/// Which process can answer a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsIn {
    /// Any process that contains the service.
    AnyProcess,
    /// Only the client's own process: it writes files of the working tree, or runs git for the user.
    Client,
}

/// A program through which people and other programs use postil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frontend {
    /// The command line.
    Cli,
    /// The web page.
    Web,
    /// The language server.
    Lsp,
    /// The server of tools for language models (MCP).
    Mcp,
}

impl Traits {
    /// Whether it changes nothing.
    pub fn reads_only(&self) -> bool {
        self.effect == Effect::Reads
    }

    /// Refuses a method that only the client's own process can run.
    pub fn check_other_process(&self) -> Result<(), Fault> {
        match self.runs {
            RunsIn::AnyProcess => Ok(()),
            RunsIn::Client => {
                let words =
                    format!("{:?} runs in the client only, since it writes files or starts git", self.name);
                Err(Fault::new(FaultCode::Refused, words).reason("client-only"))
            }
        }
    }
}

impl Frontend {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cli, Self::Web, Self::Lsp, Self::Mcp];

    /// Its name in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Web => "web",
            Self::Lsp => "lsp",
            Self::Mcp => "mcp",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_daemon_refuses_what_only_a_client_can_run() {
        let anywhere = Traits {
            name: "undo",
            effect: Effect::Writes,
            follows_reviews: false,
            heals: true,
            runs: RunsIn::AnyProcess,
            frontends: &[],
            progress: "writing",
        };
        assert!(anywhere.check_other_process().is_ok());
        let fault = Traits { runs: RunsIn::Client, ..anywhere }.check_other_process().unwrap_err();
        assert_eq!((fault.code, fault.data.reason.as_deref()), (FaultCode::Refused, Some("client-only")));
        assert!(fault.message.contains("\"undo\""), "{}", fault.message);
    }
}
