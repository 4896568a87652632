//! What kind of statement a line is and which name it declares, for every language alike.
//!
//! Read from its first tokens. A line that gives neither away is known by its text alone; judging
//! two lines by more than their kinds is `evidence`'s work.

use crate::edit::{TokenKind, tokens};

/// More words before a name are prose.
const MAX_WORDS: usize = 8;

/// Words that are only in expressions; no name is declared after one.
const IN_EXPRESSIONS: &[&[u8]] = &[
    b"and",
    b"await",
    b"delete",
    b"else",
    b"goto",
    b"in",
    b"instanceof",
    b"is",
    b"new",
    b"not",
    b"or",
    b"typeof",
];

/// Words that say no more than a keyword does.
const LITERALS: &[&[u8]] = &[b"False", b"None", b"True", b"false", b"nil", b"null", b"self", b"true"];

/// Words after which a line names only what exists already.
const BEHIND_THE_NAME: &[&[u8]] = &[b"extends", b"implements", b"throws", b"where"];

/// What a word at the beginning of a statement says that it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementKeyword {
    Condition,
    Loop,
    Try,
    Catch,
    Finally,
    Switch,
    Case,
    Return,
    Throw,
    Import,
    Package,
    Jump,
    Lock,
    With,
    Assert,
}

impl StatementKeyword {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"if" | b"elif" | b"elsif" | b"unless" => Self::Condition,
            b"for" | b"foreach" | b"while" | b"until" | b"loop" | b"do" => Self::Loop,
            b"try" => Self::Try,
            b"catch" | b"except" | b"rescue" => Self::Catch,
            b"finally" | b"ensure" => Self::Finally,
            b"switch" | b"match" => Self::Switch,
            b"case" | b"when" | b"default" => Self::Case,
            b"return" | b"yield" => Self::Return,
            b"throw" | b"raise" => Self::Throw,
            b"import" | b"from" | b"include" | b"use" | b"using" => Self::Import,
            b"package" => Self::Package,
            b"break" | b"continue" => Self::Jump,
            b"synchronized" => Self::Lock,
            b"with" => Self::With,
            b"assert" => Self::Assert,
            _ => return None,
        })
    }

    /// Whether the word is also a modifier, so that a name can follow.
    fn is_modifier(self) -> bool {
        matches!(self, Self::Lock | Self::Case)
    }
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statement<'t> {
    Keyword(StatementKeyword),
    /// It gives something this name.
    Declaration(&'t [u8]),
    Comment,
    /// Anything else: an expression, the rest of a statement, prose.
    Other,
}

/// How the statements of two lines are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementRelation {
    /// Both declare the same name.
    SameName,
    /// Both begin with words of the same kind.
    SameKind,
    /// Both declare something, but not under one name in one block.
    OtherName,
    /// Neither is of a kind that is known, as two comments or two calls.
    NoKind,
    /// One of them is of no kind that is known.
    Unknown,
    /// They are of different kinds.
    OtherKind,
}

/// Compares the statements of two lines.
pub(crate) fn kinship(old: &[u8], new: &[u8]) -> StatementRelation {
    match (read(old), read(new)) {
        (Statement::Declaration(old), Statement::Declaration(new)) if old == new => {
            StatementRelation::SameName
        }
        // A declaration that went into the head of a block: `A a = f();` became `try (A a = f()) {`. The reverse says
        // nothing: of the head of a block that became two lines, either can be meant.
        (Statement::Declaration(name), Statement::Keyword(_)) if in_head(new) == Some(name) => {
            StatementRelation::SameName
        }
        (Statement::Declaration(_), Statement::Declaration(_)) => StatementRelation::OtherName,
        (Statement::Keyword(old), Statement::Keyword(new)) if old == new => StatementRelation::SameKind,
        (old, new) if old == new => StatementRelation::NoKind,
        (Statement::Other, _) | (_, Statement::Other) => StatementRelation::Unknown,
        _ => StatementRelation::OtherKind,
    }
}

fn read(line: &[u8]) -> Statement<'_> {
    let trimmed = line.trim_ascii_start();
    if [b"//".as_slice(), b"/*", b"*", b"#"].iter().any(|mark| trimmed.starts_with(mark)) {
        return Statement::Comment;
    }
    // A bracket that closes what is above, and `else`, only lead up to the statement.
    let mut words = tokens(line)
        .map(|token| &line[token.range()])
        .skip_while(|word| matches!(word[0], b'}' | b')' | b']') || *word == b"else");
    let Some(first) = words.next() else { return Statement::Other };
    match StatementKeyword::of(first) {
        Some(StatementKeyword::Lock) if words.next() != Some(b"(") => {}
        Some(control) => return Statement::Keyword(control),
        None => {}
    }
    declared(line).map_or(Statement::Other, Statement::Declaration)
}

/// The name that a line declares as a statement or as a part of one.
pub(crate) fn declared_name(line: &[u8]) -> Option<&[u8]> {
    match read(line) {
        Statement::Declaration(name) => Some(name),
        Statement::Keyword(_) | Statement::Comment | Statement::Other => None,
    }
}

/// Whether a line only says something about the declaration below it: `@Override`, `#[test]`, `[Fact]`.
pub(crate) fn is_annotation(line: &[u8]) -> bool {
    match line.trim_ascii() {
        [b'#', b'[', .., b']'] | [b'[', .., b']'] => true,
        [b'@', rest @ ..] => {
            rest.first().is_some_and(u8::is_ascii_alphabetic)
                && (rest.ends_with(b")")
                    || rest.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(byte)))
        }
        _ => false,
    }
}

/// Whether a word only says what kind of statement begins with it.
pub(crate) fn is_keyword(word: &[u8]) -> bool {
    StatementKeyword::of(word).is_some()
}

/// Whether a line says more than keywords do: `continue;` and `return false;` are anywhere.
pub(crate) fn says_more_than_keywords(line: &[u8]) -> bool {
    let mut words =
        tokens(line).filter(|token| token.kind != TokenKind::Mark).map(|token| &line[token.range()]);
    words.any(|word| !is_keyword(word) && !LITERALS.contains(&word))
}

/// Whether a statement cannot end with this line: it goes on in the next one.
pub(crate) fn goes_on(line: &[u8]) -> bool {
    line.trim_ascii_end().last().is_some_and(|last| b",([=+-&|?.".contains(last))
}

/// The name that is declared in the brackets after `for`, `try` and their like.
fn in_head(line: &[u8]) -> Option<&[u8]> {
    let open = memchr::memchr(b'(', line)?;
    let words = tokens(&line[..open]).map(|token| &line[token.range()]);
    let control = words.filter_map(StatementKeyword::of).last()?;
    let declares = matches!(control, StatementKeyword::Loop | StatementKeyword::Try | StatementKeyword::With);
    declares.then(|| declared(&line[open + 1..])).flatten()
}

/// The name that a line declares: the last of at least two words before the first mark that ends a
/// declarator.
fn declared(line: &[u8]) -> Option<&[u8]> {
    let (mut words, mut nested, mut is_member) = (0, 0, false);
    let mut name = None;
    for token in tokens(line) {
        let bytes = &line[token.range()];
        match token.kind {
            // The arguments of a generic type.
            TokenKind::Word | TokenKind::Number if nested > 0 => {}
            TokenKind::Number => return None,
            TokenKind::Word if BEHIND_THE_NAME.contains(&bytes) => return name.filter(|_| words > 1),
            TokenKind::Word => {
                let control = StatementKeyword::of(bytes).is_some_and(|control| !control.is_modifier());
                words += 1;
                if control || IN_EXPRESSIONS.contains(&bytes) || words > MAX_WORDS {
                    return None;
                }
                name = (!is_member).then_some(bytes);
                is_member = false;
            }
            TokenKind::Mark => match bytes[0] {
                b'<' => nested += 1,
                b'>' => nested -= 1,
                _ if nested > 0 => {}
                b'.' => is_member = true,
                b'=' | b'(' | b';' | b'{' | b':' | b',' | b')' => return name.filter(|_| words > 1),
                b'@' if words == 0 => {}
                b'[' | b']' | b'*' | b'&' | b'?' | b'$' if words > 0 => {}
                _ => return None,
            },
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_behind_a_type_or_a_keyword_is_declared() {
        let check = |line: &str, name: Option<&str>| {
            assert_eq!(declared(line.as_bytes()), name.map(str::as_bytes), "{line}");
        };
        check("private final Map<String, List<Integer>> sizes = new HashMap<>();", Some("sizes"));
        check("    def solve(self, node):", Some("solve"));
        check("pub fn close(&mut self) -> bool {", Some("close"));
        check("public class Finder<T> extends Searcher {", Some("Finder"));
        check("private synchronized void flush() throws IOException {", Some("flush"));
        check("final Set<? extends Id> wanted,", Some("wanted"));
        check("int[] counts;", Some("counts"));
        check("} catch (IOException e) {", None);
        check("if (a == b) {", None);
        check("walker.next();", None);
        check("return total(a);", None);
        check("count = 3;", None);
    }

    #[test]
    fn an_annotation_is_no_declaration_itself() {
        let check = |line: &str, expected: bool| {
            assert_eq!(is_annotation(line.as_bytes()), expected, "{line}");
        };
        check("    @Override", true);
        check("@Test(expected = Failure.class)", true);
        check("@app.route(\"/\")", true);
        check("    #[derive(Clone)]", true);
        check("[Fact]", true);
        check("@Override public void close() {", false);
        check("@interface Marker {", false);
        check("@param name who it is", false);
        check(" * @Override", false);
        check("", false);
    }

    #[test]
    fn statements_are_told_apart_by_what_they_begin_with() {
        let check = |old: &str, new: &str, expected: StatementRelation| {
            assert_eq!(kinship(old.as_bytes(), new.as_bytes()), expected, "{old} / {new}");
        };
        check("int total = 0;", "long total = count();", StatementRelation::SameName);
        check("int total = 0;", "int sum = 0;", StatementRelation::OtherName);
        check("if (a) {", "} else if (b) {", StatementRelation::SameKind);
        check("for (int i = 0; i < 3; i++) {", "while (true) {", StatementRelation::SameKind);
        check("walk(a);", "stop(b);", StatementRelation::NoKind);
        check("int total = count();", "print(count());", StatementRelation::Unknown);
        check("int total = count();", "if (count() > 0) {", StatementRelation::OtherKind);
        check("synchronized (lock) {", "synchronized void close() {", StatementRelation::OtherKind);
        check(
            "final Reader save = open();",
            "} else try (Reader save = open()) {",
            StatementRelation::SameName,
        );
        check("Commit[] p = all.parents();", "for (Commit p : all.parents())", StatementRelation::SameName);
        check("for (Commit p : all.parents())", "Commit[] p = all.parents();", StatementRelation::OtherKind);
        check("for (int i = 0; i < n; i++) {", "for (int i = 1; i < m; i++) {", StatementRelation::SameKind);
        check("if (is(a, b)) {", "boolean a = is(b);", StatementRelation::OtherKind);
        check("// a comment", "int total = 0;", StatementRelation::OtherKind);
    }
}
