//! Tables for every feature of Markdown: what it reads as, and where that is in the source.

use super::*;

fn page(source: &str) -> Rendered {
    render(source).expect("the document is small and flat")
}

fn check(source: &str, text: &str) {
    assert_eq!(page(source).text(), text, "{source:?}");
}

/// Checks which source a selection of the page takes in.
fn selects(source: &str, words: &str, expected: &str) {
    let rendered = page(source);
    let start = rendered.text().find(words).unwrap_or_else(|| panic!("{words:?} in {:?}", rendered.text()));
    let range = rendered.map().source_of(&(start..start + words.len())).expect("the words are there");
    assert_eq!(&source[range], expected, "{words:?} of {source:?}");
}

#[test]
fn inline_marks_are_not_text() {
    check("*a* _b_ **c** __d__ ***e*** ~~f~~", "a b c d e f");
    check("[a](b \"c\") [d][e] [e] [g][]\n\n[e]: /u\n[g]: /v", "a d e g");
    check("![a *b*](c) <http://d.e> <f@g.h>", "a b http://d.e f@g.h");
    check("`a` `` `b` `` `c  d`", "a `b` c  d");
    check("a&amp;b &copy; &#65; &bad;", "a&b © A &bad;");
    check(r"\*a\* \\ \a", r"*a* \ \a");
    check("2 * 3 * 4 snake_case [x] *open", "2 * 3 * 4 snake_case [x] *open");
}

#[test]
fn breaks_are_white_space() {
    check("a\nb  \nc\\\nd\r\ne<br>f", "a b\nc\nd e\nf");
}

#[test]
fn one_newline_stands_between_blocks() {
    check("# a\n\nb\n\n\n\nc\n***\nd", "a\nb\nc\nd");
    check("- a\n- b\n\n  c\n  1. d\n", "a\nb\nc\nd");
    check("> a\n> > b\nc", "a\nb c");
    check("- [x] a\n- [ ] b", "a\nb");
    check("a\n\n![](x)\n\n#\n\nb", "a\nb");
    check("a[^n].\n\n[^n]: b\n\n    c\n", "an.\nb\nc");
    check("> [!NOTE]\n> a", "a");
    check("", "");
    check(" \n\t\n", "");
}

#[test]
fn a_table_reads_by_rows_and_cells() {
    check("|a|*b*|\n|-|:-:|\n|`c\\|d`|e\\|f|\n||g|\n", "a\tb\nc|d\te|f\ng");
    check("a|b\n-|-\nc", "a\tb\nc");
}

#[test]
fn code_blocks_keep_their_lines() {
    check("a\n```rs\n\nb\n\n  c\n\n```\nd", "a\nb\n\n  c\nd");
    check("    a\n\tb\n\n      c\n", "a\nb\n\n  c");
    check("> ```\n> a\n>   b\n> ```", "a\n  b");
    check("```\r\na\r\nb\r\n```\r\n", "a\nb");
    check("```\n\n\n```\na", "a");
    check(">\t\ta\tb", "  a\tb");
}

#[test]
fn html_shows_only_what_stands_between_tags() {
    check("<div>\n  <b>a</b>\n  c</div>\n\nd", "a c\nd");
    check("a <b>c</b> <!-- x --> d", "a c  d");
    check("<!-- a\n\nb -->\nc", "c");
    check("<table><tr><td>a</td><td>&lt;b</td></tr></table>\n", "a\n<b");
    check("<details><summary>a</summary>\n\n*b*\n\n</details>\n", "a\nb");
}

#[test]
fn front_matter_and_marks_of_the_file_are_not_text() {
    check("---\na: 1\n---\n# b\n", "b");
    check("\u{feff}+++\na = 1\n+++\nb *c*", "b c");
    selects("---\na: 1\n---\n# b **c**\n", "c", "**c**");
}

#[test]
fn bytes_that_are_no_text_keep_their_place() {
    let source = readable(b"a \xff\xfe *b\xc3* c");
    assert_eq!(source.len(), 11);
    check(&source, "a \u{1a}\u{1a} b\u{1a} c");
    assert_eq!(readable("é".as_bytes()), "é");
}

#[test]
fn a_selection_takes_in_the_elements_it_holds_whole() {
    selects(
        "Check the **valve** first, see [manual](m.md).",
        "the valve first, see manual",
        "the **valve** first, see [manual](m.md)",
    );
    selects("a **b c** d", "b c", "**b c**");
    selects("a **b c** d", "b", "b");
    selects("a **b c** d", "a b c", "a **b c**");
    selects("a ***b*** c", "b", "***b***");
    selects("a *b **c*** d", "c", "**c**");
    selects("a `b` c", "b", "`b`");
    selects("a ![b](c) d", "b", "![b](c)");
    selects("a [b][] c\n\n[b]: /u", "b", "[b][]");
    selects("a [b][x] c\n\n[x]: /u", "b", "[b][x]");
    selects("a [b] c\n\n[b]: /u", "b", "[b]");
    selects("<http://a.b> c", "http://a.b", "<http://a.b>");
    selects("a <kbd>b</kbd> c", "b", "<kbd>b</kbd>");
    selects("a <kbd>b</kbd> c", "a b c", "a <kbd>b</kbd> c");
    selects("a[^1] b\n\n[^1]: c", "a1", "a[^1]");
    selects("a ~~b~~ c", "b", "~~b~~");
}

#[test]
fn what_stands_for_a_character_belongs_to_it() {
    selects("a &amp; b", "&", "&amp;");
    selects(r"a \* b", "*", r"\*");
    selects(r"a \* b", "* b", r"\* b");
    selects(r"a \\* b", r"\* b", r"\\* b");
    selects("a  \nb", "a\nb", "a  \nb");
    selects("> `a\n> b` c", "b", "b");
    selects("> `a\n> b` c", "a b", "`a\n> b`");
}

#[test]
fn block_marks_lie_outside_unless_both_blocks_are_selected() {
    selects("# a\n\n- b\n- c\n", "a", "a");
    selects("# a\n\n- b\n- c\n", "a\nb\nc", "a\n\n- b\n- c");
    selects("a\n===\n\n> b\n", "a\nb", "a\n===\n\n> b");
    selects("|a|b|\n|-|-|\n|c|d|\n", "b\nc", "b|\n|-|-|\n|c");
    selects("```\na\r\nb\n```", "a\nb", "a\r\nb");
}

#[test]
fn a_source_range_finds_its_words_on_the_page() {
    let check = |source: &str, part: &str, words: Option<&str>| {
        let rendered = page(source);
        let start = source.find(part).expect("the part is there");
        let found = rendered.map().rendered_of(&(start..start + part.len()));
        assert_eq!(found.map(|range| &rendered.text()[range]), words, "{part:?} of {source:?}");
    };
    check("a **b** c", "**b**", Some("b"));
    check("a **b** c", "a **", Some("a "));
    check("# a\n\nb\n", "# a\n\n", Some("a"));
    check("# a\n\nb\n", "a\n\nb", Some("a\nb"));
    check("a &amp; b", "mp", Some("&"));
    check("a\n\n***\n\nb", "***", None);
    check("<!-- x -->\n\nb", "x", None);
}

#[test]
fn a_place_without_text_is_near_the_text_behind_it() {
    let source = "# a\n\n<!-- x -->\n\nb **c**\n\n";
    let rendered = page(source);
    let near = |part: &str| rendered.map().offset_near(source.find(part).expect("the part is there"));
    assert_eq!(near("# a"), 0);
    assert_eq!(near("b **"), 2);
    assert_eq!(near("**c"), 4);
    assert_eq!(rendered.map().offset_near(source.len()), 5);
}

#[test]
fn headings_lead_to_every_place() {
    let source = "intro\n\n# A\n\nx\n\nB *b*\n---\ny\n\n#### C\n\nz\n\n## B b\n\nw\n\n> # Q\n\nv\n\n# D #\nu";
    let rendered = page(source);
    let check = |part: &str, path: &[&str]| {
        let start = source.find(part).expect("the part is there");
        let shown = rendered.map().offset_near(start);
        assert_eq!(rendered.outline().path_at_rendered(shown), path, "{part:?}");
    };
    check("intro", &[]);
    check("A", &["A"]);
    check("x", &["A"]);
    check("y", &["A", "B b"]);
    check("z", &["A", "B b", "C"]);
    check("w", &["A", "B b"]);
    check("v", &["A", "B b"]);
    check("u", &["D"]);
    let ranges = rendered.outline().sections().iter().map(|section| &source[section.source()]);
    assert!(
        ranges.into_iter().next().is_some_and(|first| first.starts_with("# A") && first.ends_with("v\n\n"))
    );
}

#[test]
fn sections_are_the_same_by_all_titles_and_akin_by_the_last() {
    let rendered = page("# A\n## S\nx\n# B\n## S\ny\n");
    let at = |word: &str| rendered.text().find(word).expect("the word is there");
    let path = |titles: &[&str]| titles.iter().map(ToString::to_string).collect::<Vec<_>>();
    let outline = rendered.outline();
    assert_eq!(outline.kinship(at("x"), &path(&["A", "S"])), SectionKinship::Same);
    assert_eq!(outline.kinship(at("y"), &path(&["A", "S"])), SectionKinship::Title);
    assert_eq!(outline.kinship(at("y"), &path(&["A"])), SectionKinship::None);
}

#[test]
fn too_large_and_too_deep_are_refused_by_name() {
    let large = "a".repeat(MAX_MARKDOWN_BYTES + 1);
    assert_eq!(render(&large), Err(RenderError::TooLarge { bytes: large.len() }));
    assert_eq!(render(&">".repeat(1000)), Err(RenderError::TooDeep));
}
