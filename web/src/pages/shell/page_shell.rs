//! What every page has: its head, the bar at the top, and room for what is said aloud.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use postil_protocol::Person;

use super::super::layout::Layout;
use super::super::when::day;
use super::templates::templates;
use crate::assets::{self, OVERVIEW_SHEETS, SHEETS};
use crate::viewed::ViewedFiles;

/// The icon: no request of its own, since requests outside of the prefix carry no cookie.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' \
    height='32' rx='8' fill='%235b5bd6'/%3E%3Cpath d='M9 10h14M9 16h9M9 22h5' stroke='white' stroke-width='3' \
    stroke-linecap='round'/%3E%3C/svg%3E";

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Reads its word; anything else is the system's.
    pub(crate) fn read(word: &str) -> Self {
        match word {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }
}

/// How a page reaches who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageForm {
    /// By the server, which also has its styles and scripts.
    Served,
    /// As one file that needs nothing else, without scripts.
    File,
}

/// What a file may load: nothing but what is in it.
const FILE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Where the colours of code are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colours {
    /// In the text, for what is seen first, and where no script runs.
    AtOnce,
    /// In an attribute of each line: a script paints those that are near. That is a third of the elements, and of the memory.
    WhenNear,
}

/// What a page is shown in.
#[derive(Clone, Debug)]
pub(crate) struct PageFrame<'a> {
    /// The path below which everything is, with slashes around it.
    pub prefix: &'a str,
    /// What the repository is called.
    pub repository: &'a str,
    /// Who looks.
    pub person: Option<Person>,
    /// Whether anything can be written.
    pub is_writable: bool,
    /// How it reaches who reads it.
    pub form: PageForm,
    /// Light or dark.
    pub theme: Theme,
    /// Unified or split.
    pub layout: Layout,
    /// Where the colours of code are.
    pub colours: Colours,
    /// Which files were viewed.
    pub viewed: Option<&'a ViewedFiles>,
    /// The address of the images of a diff, up to the file and the id.
    pub images: Option<&'a str>,
    /// Whether there are so many threads that each is folded until it is opened.
    pub is_brief: bool,
    /// The time of the person, in milliseconds since 1970.
    pub now: u64,
}

/// Which page it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// One review.
    Review,
    /// All reviews.
    Overview,
    /// How threads drift.
    Drift,
    /// A sentence.
    Notice,
}

impl PageKind {
    /// Its styles.
    fn sheets(self) -> &'static [&'static str] {
        match self {
            Self::Review => SHEETS,
            Self::Overview | Self::Drift | Self::Notice => OVERVIEW_SHEETS,
        }
    }
}

/// A whole page.
pub(crate) fn page(
    kind: PageKind,
    title: &str,
    body: &Markup,
    attributes: &[(&str, &str)],
    frame: &PageFrame<'_>,
) -> String {
    let asset = |name: &str| format!("{}assets/{name}", frame.prefix);
    let attribute = |name: &str| attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let markup = html! {
        (DOCTYPE)
        html lang="en" data-theme=(frame.theme.word()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " \u{b7} " (frame.repository) }
                link rel="icon" href=(ICON);
                @if frame.form == PageForm::File {
                    meta http-equiv="Content-Security-Policy" content=(FILE_POLICY);
                    @for sheet in kind.sheets() { style { (PreEscaped(assets::named(sheet).map_or("", |(_, text)| text))) } }
                } @else {
                    @for sheet in kind.sheets() { link rel="stylesheet" href=(asset(sheet)); }
                    @if kind != PageKind::Notice { script type="module" src=(asset("page.js")) {} }
                }
            }
            body data-prefix=(frame.prefix) data-view=[attribute("view")] data-looks=[attribute("looks")] data-mark=[attribute("mark")]
                data-writable[frame.is_writable] data-brief[frame.is_brief] data-review=[attribute("review")] data-rev=[attribute("rev")] data-old-rev=[attribute("old-rev")]
                data-layout=(frame.layout.word()) data-scope=[attribute("scope")] {
                a.skip href="#main" { "Skip to the changes" }
                @if frame.form == PageForm::File { (file_bar(frame)) } @else { (bar(kind, frame)) }
                (body)
                div.vh id="said" role="status" aria-live="polite" {}
                @if frame.form == PageForm::Served && kind != PageKind::Notice { (templates(frame.is_writable)) }
            }
        }
    };
    markup.into_string()
}

/// The bar of a file: it says what it is, and leads nowhere.
fn file_bar(frame: &PageFrame<'_>) -> Markup {
    html! {
        header.bar {
            span.brand { span.logo aria-hidden="true" {} "postil" }
            span.repo { (frame.repository) }
            span.spacer {}
            span.quiet { "as of " (day(frame.now)) }
        }
    }
}

fn bar(kind: PageKind, frame: &PageFrame<'_>) -> Markup {
    let link = |to: &str, word: &str, here: bool| {
        html! { a href={ (frame.prefix) (to) } aria-current=[here.then_some("page")] { (word) } }
    };
    html! {
        header.bar {
            a.brand href={ (frame.prefix) "reviews" } { span.logo aria-hidden="true" {} "postil" }
            span.repo { (frame.repository) }
            nav.places aria-label="Pages" {
                (link("changes", "Changes", kind == PageKind::Review))
                (link("reviews", "Reviews", kind == PageKind::Overview))
                (link("drift", "Drift", kind == PageKind::Drift))
            }
            span.spacer {}
            span.link id="link" data-js data-state="waiting" title="Changes appear by themselves" {
                span.dot aria-hidden="true" {} span.word { "connecting" }
            }
            @if !frame.is_writable { span.chip.note { "read only" } }
            button.icon type="button" data-js id="theme" title="Light or dark" aria-label="Light or dark" { span aria-hidden="true" { "\u{25d0}" } }
            button.icon type="button" data-js id="keys" title="Keys (?)" aria-label="Keys" { span aria-hidden="true" { "?" } }
        }
    }
}
