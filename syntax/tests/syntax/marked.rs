//! Markup, style sheets, data and text.

use super::spans_of::check;

#[test]
fn html() {
    check(
        "HTML",
        &[
            ("<!-- a", "c(<!-- a)"),
            (
                r#"b --><p class="x" id='y'>it's &amp; text</p>"#,
                r#"c(b -->) k(p) t(class) s("x") t(id) s('y') n(&amp;) k(p)"#,
            ),
            (r#"<script>const x = "</b>"; f(1) // c"#, r#"k(script) k(const) s("</b>") f(f) n(1) c(// c)"#),
            (
                "</script><style>a { color: #fff; }</style><br/>",
                "k(script) k(style) k(color) n(#fff) k(style) k(br)",
            ),
        ],
    );
}

#[test]
fn xml() {
    check(
        "XML",
        &[
            (r#"<?xml version="1.0"?><a:b c="d"#, r#"k(xml) t(version) s("1.0") k(a:b) t(c) s("d)"#),
            (r#"e"><![CDATA[ <x> ]]></a:b>"#, r#"s(e") s(<![CDATA[ <x> ]]>) k(a:b)"#),
        ],
    );
}

#[test]
fn css() {
    check(
        "CSS",
        &[
            (
                r#"/* c */ a:hover { color: #fff; margin: 0 -1.5em 50%; background: url("x") }"#,
                r#"c(/* c */) k(color) n(#fff) k(margin) n(0) n(1.5em 50%) k(background) f(url) s("x")"#,
            ),
            ("@media (min-width: 10px) { .cls, #id {} }", "k(@media) k(min-width) n(10px)"),
        ],
    );
}

#[test]
fn scss() {
    check(
        "SCSS",
        &[
            ("$x: 1px; // c", "t($x) n(1px) c(// c)"),
            (".a { &:hover { color: darken($x, 10%); } }", "k(color) f(darken) t($x) n(10%)"),
        ],
    );
}

#[test]
fn json() {
    check(
        "JSON",
        &[(
            r#"{"key": "va\"lue", "n": -1.5e3, "b": [true, null, "x"]}"#,
            r#"k("key") s("va\"lue") k("n") n(1.5e3) k("b") n(true) n(null) s("x")"#,
        )],
    );
}

#[test]
fn yaml() {
    check(
        "YAML",
        &[
            ("# c", "c(# c)"),
            ("key: value # d", "k(key) c(# d)"),
            (r#""q k": 'it''s'"#, r#"k("q k") s('it''s')"#),
            ("- name: it's", "k(name)"),
            ("  n: 42", "k(n) n(42)"),
            ("  on: true", "k(on) n(true)"),
            ("text: |", "k(text)"),
            ("  a: b", "s(a: b)"),
            ("  # no", "s(# no)"),
            ("next: &a !t {x: 1, y: [no, z]}", "k(next) t(&a !t) k(x) n(1) k(y) n(no)"),
            ("url: http://x.y#z", "k(url)"),
        ],
    );
}

#[test]
fn toml() {
    check(
        "TOML",
        &[
            ("[package.x]", "t([package.x])"),
            (r#"name = "a" # c"#, r#"k(name) s("a") c(# c)"#),
            ("a.b-c = [1, true, 'x']", "k(a.b-c) n(1) n(true) s('x')"),
            (r#"s = """"#, r#"k(s) s(""")"#),
            ("it's", "s(it's)"),
            (r#"""""#, r#"s(""")"#),
            ("[[bin]]", "t([[bin]])"),
        ],
    );
}

#[test]
fn ini() {
    check(
        "INI",
        &[
            ("; c", "c(; c)"),
            (r#"[section "x"]"#, r#"t([section "x"])"#),
            ("key = it's", "k(key)"),
            ("# d", "c(# d)"),
            ("a.b: c", "k(a.b)"),
        ],
    );
}

#[test]
fn markdown() {
    check(
        "Markdown",
        &[
            ("# Title", "k(# Title)"),
            ("Some `code` and ``a`b`` it's [x](http://y) `no", "s(`code`) s(``a`b``) f(http://y)"),
            ("- item", "n(-)"),
            ("1. two", "n(1.)"),
            ("> quote", "c(>)"),
            ("```rust", "k(```rust)"),
            ("fn f() {} // it's", "k(fn) f(f) c(// it's)"),
            ("```", "k(```)"),
            ("<!-- c", "c(<!-- c)"),
            ("d --> e", "c(d -->)"),
            ("~~~", "k(~~~)"),
            ("plain", "s(plain)"),
            ("~~~", "k(~~~)"),
        ],
    );
}

#[test]
fn diff() {
    check(
        "Diff",
        &[
            ("diff --git a/x b/x", "k(diff --git a/x b/x)"),
            ("--- a/x", "k(--- a/x)"),
            ("+++ b/x", "k(+++ b/x)"),
            ("@@ -1 +1 @@ fn", "t(@@ -1 +1 @@ fn)"),
            ("-old", "-(-old)"),
            ("+new", "+(+new)"),
            (" same", ""),
        ],
    );
}
