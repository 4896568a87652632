//! Chooses a remote, and the ref where its notes are kept here.

use crate::git::{RefName, Repository};
use crate::notes::refs;

/// A remote, by its name or its address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remote {
    name: String,
    shown: String,
    tracking: RefName,
}

/// Why no remote could be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// No remote is configured.
    #[error("this repository has no remote; add one with `git remote add origin <url>`")]
    None,
    /// There are several remotes, and none is the default.
    #[error("several remotes; choose one of {}", names.join(", "))]
    Ambiguous {
        /// Those that are configured.
        names: Vec<String>,
    },
    /// A name that is neither a remote nor an address.
    #[error("no such remote: {name:?}")]
    Bad {
        /// The name.
        name: String,
    },
}

impl Remote {
    /// Takes a configured name, or an address as `git fetch` takes it.
    pub fn named(name: &str) -> Result<Self, RemoteError> {
        let bad = || RemoteError::Bad { name: name.to_owned() };
        // Git would take it for an option.
        if name.is_empty() || name.starts_with('-') {
            return Err(bad());
        }
        let tracking = RefName::new(&format!("{}{name}/reviews", refs::REMOTES)).or_else(|_| {
            // An address is no part of a ref's name; its hash is.
            let hash = blake3::hash(name.as_bytes()).to_hex();
            RefName::new(&format!("{}address-{}/reviews", refs::REMOTES, &hash[..16]))
        });
        Ok(Self {
            name: name.to_owned(),
            shown: without_password(name),
            tracking: tracking.map_err(|_| bad())?,
        })
    }

    /// The names of all remotes that are configured.
    pub fn configured(repo: &Repository) -> Vec<String> {
        repo.handle().remote_names().iter().map(ToString::to_string).collect()
    }

    /// Returns the default remote; it may be an address.
    pub fn usual(repo: &Repository) -> Result<Self, RemoteError> {
        Self::chosen(of_branch(repo).as_deref(), &Self::configured(repo))
    }

    /// As [`Remote::usual`], but only a configured remote: only those have settings.
    pub fn usual_configured(repo: &Repository) -> Result<Self, RemoteError> {
        let configured = Self::configured(repo);
        let of_branch = of_branch(repo).filter(|name| configured.contains(name));
        Self::chosen(of_branch.as_deref(), &configured)
    }

    /// Chooses as git does: the remote of the branch, else `origin`, else the only one.
    fn chosen(of_branch: Option<&str>, configured: &[String]) -> Result<Self, RemoteError> {
        // The branch's remote may be `.`, this repository itself, which has nothing to tell us.
        if let Some(name) = of_branch.filter(|name| *name != ".") {
            return Self::named(name);
        }
        match configured {
            [] => Err(RemoteError::None),
            [only] => Self::named(only),
            several => match several.iter().find(|name| *name == "origin") {
                Some(origin) => Self::named(origin),
                None => Err(RemoteError::Ambiguous { names: several.to_vec() }),
            },
        }
    }

    /// The name for git; never shown, because an address may contain a password.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name to show and to log.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Where its notes are kept here.
    pub fn tracking(&self) -> &RefName {
        &self.tracking
    }
}

/// An address as git shows it: of `scheme://user:password@host` without the password.
fn without_password(name: &str) -> String {
    let parts = || {
        let (scheme, rest) = name.split_once("://")?;
        let host = &rest[..rest.find('/').unwrap_or(rest.len())];
        let (user, _password) = host[..host.rfind('@')?].split_once(':')?;
        Some(format!("{scheme}://{user}{}", &rest[host.rfind('@')?..]))
    };
    parts().unwrap_or_else(|| name.to_owned())
}

/// The remote of the branch that is checked out, if it has one.
fn of_branch(repo: &Repository) -> Option<String> {
    let handle = repo.handle();
    let branch = handle.head_name().ok().flatten()?;
    let remote = handle.branch_remote_name(branch.shorten(), gix::remote::Direction::Fetch)?;
    Some(remote.as_bstr().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(of_branch: Option<&str>, configured: &[&str]) -> Result<String, RemoteError> {
        let configured: Vec<String> = configured.iter().map(ToString::to_string).collect();
        Remote::chosen(of_branch, &configured).map(|remote| remote.name().to_owned())
    }

    #[test]
    fn the_branchs_remote_comes_first_then_origin_then_the_only_one() {
        assert_eq!(chosen(Some("fork"), &["fork", "origin"]), Ok("fork".to_owned()));
        assert_eq!(chosen(Some("."), &["fork", "origin"]), Ok("origin".to_owned()));
        assert_eq!(chosen(None, &["fork", "origin"]), Ok("origin".to_owned()));
        assert_eq!(chosen(None, &["fork"]), Ok("fork".to_owned()));
        assert_eq!(chosen(None, &[]), Err(RemoteError::None));
        let names = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(chosen(None, &["a", "b"]), Err(RemoteError::Ambiguous { names }));
    }

    #[test]
    fn nobody_is_told_a_password() {
        let check = |name: &str, shown: &str| assert_eq!(Remote::named(name).unwrap().shown(), shown);
        check("https://ann:secret@host/a:b@c.git", "https://ann@host/a:b@c.git");
        check("https://ann:se@cret@host", "https://ann@host");
        check("https://:token@host:8080/x", "https://@host:8080/x");
        for plain in ["origin", "https://host:80/a:b@c", "ssh://ann@host:22/x", "ann@host:x.git", "../a@b"] {
            check(plain, plain);
        }
    }

    #[test]
    fn an_address_has_a_tracking_ref_of_its_own() {
        let tracking = |name: &str| Remote::named(name).map(|remote| remote.tracking().to_string());
        assert_eq!(tracking("origin"), Ok("refs/postil/remotes/origin/reviews".to_owned()));
        assert_eq!(tracking("team/fork"), Ok("refs/postil/remotes/team/fork/reviews".to_owned()));
        let address = tracking("ssh://host:22/some where.git").unwrap();
        assert!(address.starts_with("refs/postil/remotes/address-"), "{address}");
        assert_ne!(tracking("../other").unwrap(), tracking("../another").unwrap());
        assert!(tracking("--upload-pack=evil").is_err());
        assert!(tracking("").is_err());
    }
}
