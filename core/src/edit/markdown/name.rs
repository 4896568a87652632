//! Which files are Markdown, by their names.

/// How the names of Markdown files end, in any case.
const MARKDOWN_ENDINGS: [&str; 6] = [".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdwn"];

/// Whether a file of this name is Markdown.
pub fn is_markdown_name(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    MARKDOWN_ENDINGS.iter().any(|ending| name.ends_with(ending.as_bytes()))
}
