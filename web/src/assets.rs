//! The styles and scripts of the page, as they are in the repository.

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! assets {
    ($($name:literal $kind:ident;)*) => {
        const ASSETS: &[(&str, &str, &str)] = &[$(($name, $kind, include_str!(concat!("../assets/", $name))),)*];
    };
}

assets! {
    "base.css" CSS;
    "diff.css" CSS;
    "threads.css" CSS;
    "overview.css" CSS;
    "page.js" SCRIPT;
    "ages.js" SCRIPT;
    "far.js" SCRIPT;
    "here.js" SCRIPT;
    "dom.js" SCRIPT;
    "server.js" SCRIPT;
    "live.js" SCRIPT;
    "refresh.js" SCRIPT;
    "beside.js" SCRIPT;
    "composer.js" SCRIPT;
    "suggest.js" SCRIPT;
    "apply.js" SCRIPT;
    "prose.js" SCRIPT;
    "parts.js" SCRIPT;
    "selected.js" SCRIPT;
    "looked.js" SCRIPT;
    "nearby.js" SCRIPT;
    "images.js" SCRIPT;
    "moving.js" SCRIPT;
    "history.js" SCRIPT;
    "copying.js" SCRIPT;
    "search.js" SCRIPT;
    "threads.js" SCRIPT;
    "cursor.js" SCRIPT;
    "blocks.js" SCRIPT;
    "steady.js" SCRIPT;
    "layout.js" SCRIPT;
    "context.js" SCRIPT;
    "colours.js" SCRIPT;
    "later.js" SCRIPT;
    "viewed.js" SCRIPT;
    "finish.js" SCRIPT;
    "help.js" SCRIPT;
}

/// The styles of a page with files and threads.
pub(crate) const SHEETS: &[&str] = &["base.css", "diff.css", "threads.css"];

/// Those of a page that lists or counts them.
pub(crate) const OVERVIEW_SHEETS: &[&str] = &["base.css", "threads.css", "overview.css"];

/// The type and the text of a file.
pub(crate) fn named(name: &str) -> Option<(&'static str, &'static str)> {
    ASSETS.iter().find(|(known, ..)| *known == name).map(|(_, kind, text)| (*kind, *text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn nothing_is_loaded_from_elsewhere_and_nothing_is_large() {
        let mut bytes = 0;
        for (name, _, text) in ASSETS {
            bytes += text.len();
            for bad in ["http://", "https://", "@import", "eval(", "innerHTML = `", "document.write"] {
                assert!(!text.contains(bad), "{name}: {bad}");
            }
        }
        assert!(bytes < 157 << 10, "{bytes} bytes");
    }

    #[test]
    fn what_every_page_loads_is_small() {
        let mut loaded = BTreeSet::from(["page.js"]);
        let mut waiting = vec!["page.js"];
        while let Some((_, text)) = waiting.pop().and_then(named) {
            let imports = text.lines().filter(|line| line.starts_with("import "));
            for name in imports.filter_map(|line| line.split("\"./").nth(1)?.strip_suffix("\";")) {
                assert!(named(name).is_some(), "{name}");
                if loaded.insert(name) {
                    waiting.push(name);
                }
            }
        }
        assert!(!loaded.contains("apply.js"), "what many a reader never presses comes when it is wanted");
        for sheets in [SHEETS, OVERVIEW_SHEETS] {
            let is_loaded = |name: &str| loaded.contains(name) || sheets.contains(&name);
            let bytes: usize =
                ASSETS.iter().filter(|(name, ..)| is_loaded(name)).map(|(_, _, text)| text.len()).sum();
            assert!(bytes < 150 << 10, "{bytes} bytes with {sheets:?}");
        }
    }

    #[test]
    fn every_block_has_a_size() {
        let (_, text) = named("diff.css").unwrap();
        let has = |place: &str, digit: u32, size: u32| {
            assert!(text.contains(&format!(".{place}{digit}{{--{place}:{size}}}")), "{place}{digit}");
        };
        for digit in 1..=9 {
            has("u", digit, digit);
            has("t", digit, 10 * digit);
        }
        for zeros in 1..=4 {
            has("e", zeros, 10_u32.pow(zeros));
        }
    }
}
