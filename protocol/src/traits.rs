//! The columns of the table of methods, besides the types.
//!
//! Code that needs one of these reads the table: there is no second list of methods.

use crate::wire::fault::{Fault, FaultCode};

/// The columns of a method in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Its name.
    pub name: &'static str,
    /// Whether it changes anything that is stored.
    pub effect: Effect,
    /// Whether its answer depends on what has become of branches under review, which are looked at first.
    pub follows_reviews: bool,
    /// Whether notes that lost something are healed first; the others report what is missing, and leave it.
    pub heals: bool,
    /// Which process can answer it.
    pub runs: RunsIn,
    /// The programs that offer it.
    pub frontends: &'static [Frontend],
    /// What it does, for a person who waits for it.
    pub progress: &'static str,
}

/// Whether a method changes anything that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It leaves everything as it was: it can be cancelled, and equal requests may get the same answer.
    Reads,
    /// It is done completely or not at all.
    Writes,
}

/// Which process can answer a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsIn {
    /// Any that has the service.
    AnyProcess,
    /// Only that of the person who asks: it writes files of the working tree, or starts git as that person.
    Client,
}

/// A program through which people and other programs use postil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frontend {
    /// The command line.
    Cli,
    /// The page in a browser.
    Web,
    /// The language server.
    Lsp,
    /// The server of tools for language models.
    Mcp,
}

impl Traits {
    /// Whether it leaves everything as it was.
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
