//! Which files a request is about, as git's pathspecs say it.

use std::cell::RefCell;
use std::path::Path;

use gix::bstr::BStr;
use gix::pathspec::{Defaults, Search, parse};
use postil_core::git::RepoPath;
use postil_protocol::{ByteText, Fault, FaultCode};

/// Pathspecs from the top of the repository; no pathspec at all means every file.
#[derive(Debug)]
pub(crate) struct Pathspecs(RefCell<Search>);

impl Pathspecs {
    /// Reads pathspecs; fails for one that git would refuse.
    pub fn read(specs: &[ByteText]) -> Result<Self, Fault> {
        let invalid = |spec: &ByteText, why: &str| {
            let shown = String::from_utf8_lossy(spec.as_bytes());
            Fault::new(FaultCode::InvalidParams, format!("invalid pathspec \"{shown}\": {why}"))
        };
        let mut patterns = Vec::new();
        // An empty one is the top of the repository, which holds everything.
        for spec in specs.iter().map(|spec| if spec.as_bytes().is_empty() { &*TOP } else { spec }) {
            let pattern = parse(spec.as_bytes(), Defaults::default())
                .map_err(|error| invalid(spec, &error.to_string()))?;
            if !pattern.attributes.is_empty() {
                return Err(invalid(spec, "`attr` is not supported"));
            }
            patterns.push(pattern);
        }
        let shown = specs.first().unwrap_or(&TOP);
        let search = Search::from_specs(patterns, None, Path::new(""))
            .map_err(|error| invalid(shown, &error.to_string()))?;
        Ok(Self(RefCell::new(search)))
    }

    /// Whether a file is among these.
    pub fn include(&self, path: &RepoPath) -> bool {
        let mut search = self.0.borrow_mut();
        let path = BStr::new(path.as_bytes());
        let found = search.pattern_matching_relative_path(path, Some(false), &mut |_, _, _, _| false);
        found.is_some_and(|found| !found.is_excluded())
    }
}

/// Everything.
static TOP: std::sync::LazyLock<ByteText> = std::sync::LazyLock::new(|| ":/".into());

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, specs: &[&str], expected: bool) {
        let given: Vec<ByteText> = specs.iter().map(|spec| ByteText::from(*spec)).collect();
        let path = RepoPath::new(path).unwrap();
        assert_eq!(Pathspecs::read(&given).unwrap().include(&path), expected, "{path:?} in {specs:?}");
    }

    #[test]
    fn a_folder_holds_what_is_in_it_and_not_what_begins_alike() {
        check("src/a.rs", &["src"], true);
        check("src/a.rs", &["src/"], true);
        check("src/a.rs", &["src/a.rs"], true);
        check("src/a.rs", &[""], true);
        check("src/a.rs", &[], true);
        check("srcs/a.rs", &["src"], false);
        check("src/a.rs", &["src/a.r"], false);
    }

    #[test]
    fn a_pattern_holds_what_git_would_take_it_for() {
        check("src/a.rs", &["*.rs"], true);
        check("src/deep/a.rs", &["src/*.rs"], true);
        check("src/a.rs", &["src/?.rs"], true);
        check("src/a.rs", &["src/[ab].rs"], true);
        check("src/a.rs", &["*.r"], false);
        check("src/a.rs", &["a*"], false);
        check("odd/[x].rs", &["odd/[x].rs"], true);
        check("odd/x.rs", &["odd/[x].rs"], true);
    }

    #[test]
    fn the_magic_of_git_works() {
        check("src/a.rs", &[":/src"], true);
        check("src/a.rs", &[":(top)src"], true);
        check("src/a.rs", &["src", ":!*.rs"], false);
        check("src/a.md", &["src", ":!*.rs"], true);
        check("docs/a.md", &[":!src"], true);
        check("src/a.md", &[":^src"], false);
        check("SRC/A.rs", &[":(icase)src"], true);
        check("src/deep/a.rs", &[":(glob)src/*.rs"], false);
        check("src/*.rs", &[":(literal)src/*.rs"], true);
        check("src/a.rs", &[":(literal)src/*.rs"], false);
    }

    #[test]
    fn what_git_would_refuse_is_refused() {
        for bad in [":(nonsense)src", ":(attr:x)src", ":(top", "../src"] {
            let fault = Pathspecs::read(&[bad.into()]).unwrap_err();
            assert_eq!(fault.code, FaultCode::InvalidParams, "{bad}");
            assert!(fault.message.contains("invalid pathspec"), "{fault:?}");
        }
    }
}
