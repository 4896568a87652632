//! Colours, on a terminal.

use std::ffi::OsStr;

use anstyle::{AnsiColor, Color, Style};

/// Whether output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// If the output is a terminal.
    #[default]
    Auto,
    /// Always, even if the output is not a terminal.
    Always,
    /// Never.
    Never,
}

/// What a word is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// An id.
    Id,
    /// A file and its lines.
    Place,
    /// A person.
    Person,
    /// Something that is as it should be.
    Good,
    /// Something to look at.
    Doubt,
    /// Something that is lost, or forbids.
    Bad,
    /// Something of less weight.
    Faint,
    /// Something of more weight.
    Strong,
    /// A line that comes.
    Added,
    /// A line that goes.
    Deleted,
}

impl Colour {
    /// Whether to colour: what the command line says, else what git's configuration says, else `NO_COLOR`.
    pub fn decide(self, color_ui: Option<&str>, no_color: Option<&OsStr>, on_terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if no_color.is_some_and(|value| !value.is_empty()) => false,
            Self::Auto => match color_ui {
                Some("always") => true,
                Some("never" | "false" | "no" | "off" | "0") => false,
                _ => on_terminal,
            },
        }
    }
}

impl Ink {
    /// The style on a terminal.
    pub fn style(self) -> Style {
        let colour = |colour: AnsiColor| Style::new().fg_color(Some(Color::Ansi(colour)));
        match self {
            Self::Id => colour(AnsiColor::Yellow),
            Self::Place => colour(AnsiColor::Cyan),
            Self::Person => colour(AnsiColor::Blue),
            Self::Good | Self::Added => colour(AnsiColor::Green),
            Self::Doubt => colour(AnsiColor::Magenta),
            Self::Bad | Self::Deleted => colour(AnsiColor::Red),
            Self::Faint => Style::new().dimmed(),
            Self::Strong => Style::new().bold(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_counts_first_then_no_color_then_git() {
        let check = |colour: Colour, ui: Option<&str>, no: Option<&str>, terminal: bool, expected: bool| {
            let no = no.map(OsStr::new);
            assert_eq!(colour.decide(ui, no, terminal), expected, "{colour:?} {ui:?} {no:?} {terminal}");
        };
        check(Colour::Auto, None, None, true, true);
        check(Colour::Auto, None, None, false, false);
        check(Colour::Auto, Some("always"), None, false, true);
        check(Colour::Auto, Some("never"), None, true, false);
        check(Colour::Auto, Some("auto"), Some("1"), true, false);
        check(Colour::Auto, None, Some(""), true, true);
        check(Colour::Always, Some("never"), Some("1"), false, true);
        check(Colour::Never, Some("always"), None, true, false);
    }
}
