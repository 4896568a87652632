//! What scripts show when it is wanted: forms, the map of keys, and advice.
//!
//! It is in templates, which a browser neither shows nor lays out.

use maud::{Markup, html};

/// Keys, and what they do.
const KEYS: [(&str, &str); 24] = [
    ("j / k", "next, previous line"),
    ("n / p", "next, previous change"),
    ("N / P", "next, previous thread"),
    ("] / [", "next, previous file"),
    ("J / K", "next, previous file with threads"),
    (".", "cursor to what is visible"),
    ("Shift+\u{2191} / \u{2193}", "pick several lines"),
    ("w / b", "select the next word, the one before"),
    ("W / B", "select one word more, one less"),
    ("c", "comment on the line or selection, reply to a thread"),
    ("Ctrl+Enter", "send"),
    ("a", "finish: verdict and publish"),
    ("x / X", "more lines here, everywhere"),
    ("m", "unified or split"),
    ("< / >", "commit before, next commit"),
    ("r", "file viewed or not"),
    ("M", "viewed, and on to the next that is not"),
    ("Shift+\u{2190} / \u{2192}", "other side of a split"),
    ("h", "hide threads"),
    ("e / E", "unfold, fold all resolved threads"),
    ("/", "find files, threads and lines"),
    ("f", "file list"),
    ("?", "this list"),
    ("Esc", "close, one level"),
];

/// What can be thought of a review: the verdict, its word, and what it means.
const VERDICTS: [(&str, &str, &str); 3] = [
    ("comment", "Comment", "Publish what you wrote, without an opinion"),
    ("approve", "Approve", "This can be merged as it is"),
    ("changes", "Ask for changes", "Something must change first"),
];

/// How severe something is, as people choose it.
const SEVERITIES: [&str; 6] = ["note", "nit", "issue", "blocker", "question", "praise"];

/// What a person can do once nothing comes from the server, by how that is.
const ADVICE: [(&str, &str); 3] = [
    (
        "lost",
        "The connection to postil web is lost. If it ended, run postil web in the repository again: what you typed until \
         then is kept, and is on the page that it opens. What you type now is in this tab only.",
    ),
    (
        "anew",
        "postil web was started again, and does not know this page. Open the link that it printed, or run postil web \
         once more: what you typed before that is kept. What you typed since is in this tab only.",
    ),
    ("ended", "The repository is gone. What you typed is kept for when it is back."),
];

/// The templates of a page.
pub(super) fn templates(is_writable: bool) -> Markup {
    html! {
        template id="key-map" {
            div.keys { @for (keys, what) in KEYS { div { (what) kbd { (keys) } } } }
            p.row2 {
                label { input type="checkbox"; " switch single letters off" }
                button.button type="button" { "Close" }
            }
        }
        template id="search" {
            input type="search" role="combobox" aria-expanded="true" aria-controls="found" spellcheck="false"
                placeholder="Files, threads and lines" aria-label="Find files, threads and lines";
            ul id="found" role="listbox" aria-label="Found" {}
            p.quiet role="status" {}
        }
        @for (link, advice) in ADVICE {
            template id={ "advice-" (link) } { p.advice id="advice" role="alert" { (advice) } }
        }
        @if is_writable {
            template id="composer" {
                form.composer {
                    label {}
                    textarea rows="4" placeholder="Markdown, Ctrl+Enter to send" {}
                    div.preview hidden {}
                    div.row2 {
                        button.button.first type="submit" {}
                        button.button type="button" { "Save as draft" }
                        button.button type="button" { "Suggest a change" }
                        button.button type="button" { "Preview" }
                        select aria-label="Severity" {
                            option value="" { "no severity" }
                            @for word in SEVERITIES { option { (word) } }
                        }
                        input.tags type="text" placeholder="tags" aria-label="Tags, with spaces between them";
                        button.button type="button" { "Discard" }
                        span.saved {}
                    }
                    p.problem hidden role="alert" {}
                }
            }
            template id="nearby" {
                form.composer.searching {
                    label { "Words of its first line; without any, what is most like it" }
                    input type="search" spellcheck="false";
                    label { "File" }
                    input type="search" spellcheck="false";
                    div.found aria-live="polite" {}
                }
            }
            template id="placing" {
                form.composer.placing {
                    label { "File and lines, as in src/a.rs:12-14" }
                    input type="text" required spellcheck="false";
                    button.act type="submit" { "Move there" }
                    button.act type="button" { "Cancel" }
                    p.problem hidden role="alert" {}
                }
            }
            template id="applying" {
                div.plan-body {}
                p.problem hidden role="alert" {}
                div.row2 {
                    button.button.first type="button" disabled { "Write to the files" }
                    label { input type="checkbox"; " resolve their threads" }
                    button.button type="button" title="Undo what was applied last" hidden {}
                    button.button type="button" { "Close" }
                }
            }
            template id="finish" {
                form.composer {
                    p.about {}
                    div.choices role="radiogroup" aria-label="Verdict" {
                        @for (value, word, what) in VERDICTS {
                            label {
                                input type="radio" name="verdict" value=(value) checked[value == "comment"];
                                span { strong { (word) } " \u{2014} " (what) }
                            }
                        }
                    }
                    textarea rows="4" placeholder="What do you think of it as a whole?" aria-label="Text of the verdict" {}
                    div.row2 {
                        button.button.first type="submit" { "Publish" }
                        button.button type="button" { "Cancel" }
                    }
                    p.problem hidden role="alert" {}
                }
            }
        }
    }
}
