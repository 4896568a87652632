//! Random Markdown, well-formed and hostile, for the laws of this room and of those that search in it.

use proptest::prelude::*;
use proptest::sample::select;

/// Few words, so that documents repeat themselves.
const WORDS: [&str; 16] = [
    "alpha",
    "beta",
    "the",
    "valve",
    "is",
    "open",
    "a",
    "über",
    "日本語",
    "it's",
    "x",
    "100",
    "end.",
    "so,",
    "snake_case",
    "e\u{301}",
];

/// Pieces that mean something to the parser, or nearly do.
const FRAGMENTS: [&str; 64] = [
    "*",
    "**",
    "_",
    "~~",
    "`",
    "``",
    "```\n",
    "~~~",
    "[",
    "]",
    "](",
    ")",
    "![",
    "[^1]",
    "[^1]: ",
    "[a]: /u\n",
    "<",
    ">",
    "</",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "<div>\n",
    "<a href='",
    "<script>",
    "<br>",
    "<http://a.b>",
    "&",
    "&amp;",
    "&#0;",
    "&#x41;",
    "&nGt;",
    ";",
    "\\",
    "\\*",
    "\\\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "  \n",
    "\t",
    " ",
    "    ",
    "# ",
    "## ",
    " #",
    "===\n",
    "---\n",
    "- ",
    "1. ",
    "> ",
    "- [x] ",
    "|",
    "|-|-|\n",
    "\\|",
    "+++\n",
    "\u{feff}",
    "\0",
    "\u{1a}",
    "é",
    "日本",
    "word",
];

/// A word.
pub(crate) fn word() -> impl Strategy<Value = &'static str> {
    select(&WORDS[..])
}

/// A few words with inline marks on one line.
pub(crate) fn inline() -> impl Strategy<Value = String> {
    let words = proptest::collection::vec(word(), 1..5).prop_map(|words| words.join(" "));
    let marked = (words, 0..14_usize).prop_map(|(words, kind)| match kind {
        0 => format!("*{words}*"),
        1 => format!("**{words}**"),
        2 => format!("`{words}`"),
        3 => format!("[{words}](/u \"t\")"),
        4 => format!("![{words}](/i.png)"),
        5 => format!("~~{words}~~"),
        6 => format!("{words} &amp; &lt;"),
        7 => format!("\\*{words}\\_"),
        8 => format!("<kbd>{words}</kbd>"),
        9 => format!("***{words}***"),
        10 => format!("[{words}][] `` ` ``"),
        _ => words,
    });
    proptest::collection::vec(marked, 1..5).prop_map(|parts| parts.join(" "))
}

/// A block without the blank lines around it.
pub(crate) fn block() -> impl Strategy<Value = String> {
    (proptest::collection::vec(inline(), 1..4), 0..14_usize).prop_map(|(lines, kind)| match kind {
        0 => format!("# {}", lines[0]),
        1 => format!("### {} ##", lines[0]),
        2 => format!("{}\n===", lines[0]),
        3 => each(&lines, |line| format!("- {line}\n")),
        4 => each(&lines, |line| format!("1. {line}\n\n   more {line}\n")),
        5 => each(&lines, |line| format!("> {line}\n")),
        6 => format!("```rs\n{}\n\n  x\n```", lines.join("\n")),
        7 => format!("| {} | b |\n|---|---|\n| `c\\|d` | {} |", lines[0], lines[0]),
        8 => format!("<div>\n{}\n</div>", lines.join("\n")),
        9 => format!("{}[^1]\n\n[^1]: {}", lines[0], lines[0]),
        10 => lines.join("  \n"),
        _ => lines.join("\n"),
    })
}

fn each(lines: &[String], block: impl Fn(&String) -> String) -> String {
    lines.iter().map(block).collect::<Vec<_>>().concat()
}

/// A document of well-formed blocks, with either kind of line end.
pub(crate) fn document() -> impl Strategy<Value = String> {
    let front = prop_oneof![3 => Just(""), 1 => Just("---\ntitle: x\n---\n"), 1 => Just("\u{feff}")];
    (front, proptest::collection::vec(block(), 0..12), any::<bool>()).prop_map(|(front, blocks, carriage)| {
        let text = format!("{front}{}\n\n[alpha]: /a\n", blocks.join("\n\n"));
        if carriage { text.replace('\n', "\r\n") } else { text }
    })
}

/// Anything at all: fragments in any order, and documents that fragments were thrown into.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    let fragments = || proptest::collection::vec(select(&FRAGMENTS[..]), 0..60);
    let thrown = (document(), proptest::collection::vec((any::<usize>(), select(&FRAGMENTS[..])), 1..12));
    let mixed = thrown.prop_map(|(mut text, throws)| {
        for (at, fragment) in throws {
            let at = text.floor_char_boundary(at % (text.len() + 1));
            text.insert_str(at, fragment);
        }
        text
    });
    prop_oneof![fragments().prop_map(|parts| parts.concat()), mixed]
}
