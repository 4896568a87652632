//! Languages with a compiler.

use super::spans_of::check;

#[test]
fn rust() {
    check("Rust", &[("pub async fn f<'a>(x: &'a str) -> Vec<u8> {", "k(pub async fn) t(str) t(Vec) t(u8)")]);
    check(
        "Rust",
        &[(
            r"let c = 'x'; let q = '\''; let u = '\u{1F600}'; let é = 'é'; 'outer: loop { break 'outer }",
            r"k(let) s('x') k(let) s('\'') k(let) s('\u{1F600}') k(let) s('é') k(loop) k(break)",
        )],
    );
    check(
        "Rust",
        &[
            (
                r##"/* a /* b */ c */ let s = r#"a "quoted" b"#;"##,
                r##"c(/* a /* b */ c */) k(let) s(r#"a "quoted" b"#)"##,
            ),
            (r#"let t = "two"#, r#"k(let) s("two)"#),
            (r#"lines"; // done"#, r#"s(lines") c(// done)"#),
        ],
    );
    check(
        "Rust",
        &[("/* one", "c(/* one)"), ("/* two */", "c(/* two */)"), ("still */ x()", "c(still */) f(x)")],
    );
    check(
        "Rust",
        &[(
            r#"println!("{x}"); vec![1u8, 0xff_u32, 1.5e-3, 1..2]; x.await?.type_of();"#,
            r#"f(println!) s("{x}") f(vec!) n(1u8) n(0xff_u32) n(1.5e-3) n(1) n(2) k(await) f(type_of)"#,
        )],
    );
    check(
        "Rust",
        &[(
            r#"let b = b"bytes" as &[u8]; let c = b'\n'; r"\"; MAX_LINES"#,
            r#"k(let) s(b"bytes") k(as) t(u8) k(let) s(b'\n') s(r"\")"#,
        )],
    );
}

#[test]
fn c() {
    check(
        "C",
        &[
            ("#include <stdio.h>", "k(#include) s(<stdio.h>)"),
            ("#define MAX 10", "k(#define) n(10)"),
            (
                r#"int main(void) { return printf("%d\n", 'a'); } /* c */"#,
                r#"t(int) f(main) t(void) k(return) f(printf) s("%d\n") s('a') c(/* c */)"#,
            ),
        ],
    );
    check(
        "C",
        &[
            (r#"  # include "a.h""#, r#"k(# include) s("a.h")"#),
            (
                r"static const uint8_t x = 0x1Fu; // done \",
                r"k(static const) t(uint8_t) n(0x1Fu) c(// done \)",
            ),
        ],
    );
}

#[test]
fn cpp() {
    check(
        "C++",
        &[(
            r#"auto s = R"x(a )" b)x"; auto n = 1'000'000; std::vector<int> v; u8"é" L'a'"#,
            r#"k(auto) s(R"x(a )" b)x") k(auto) n(1'000'000) t(int) s(u8"é" L'a')"#,
        )],
    );
    check(
        "C++",
        &[
            (r#"R"(one"#, r#"s(R"(one)"#),
            (
                r#"two)" ; template <typename T> class Foo : public Bar {}"#,
                r#"s(two)") k(template) k(typename) t(T) k(class) t(Foo) k(public) t(Bar)"#,
            ),
        ],
    );
}

#[test]
fn objective_c() {
    check(
        "Objective-C",
        &[
            ("@interface A : B", "k(@interface) t(A) t(B)"),
            (r#"NSString *s = @"x"; [a b:1];"#, r#"t(NSString) s(@"x") n(1)"#),
        ],
    );
}

#[test]
fn csharp() {
    check(
        "C#",
        &[(
            r#"var s = $"a {x + "q"} {{b}}"; var p = @"c:\dir"; var c = 'x'; #region"#,
            r#"t(var) s($"a {) s("q"} {{b}}") t(var) s(@"c:\dir") t(var) s('x')"#,
        )],
    );
    check(
        "C#",
        &[
            ("#region Foo", "k(#region) t(Foo)"),
            (r#"string t = """"#, r#"t(string) s(""")"#),
            (r#" raw "x""#, r#"s( raw "x")"#),
            (r#" """;"#, r#"s( """)"#),
        ],
    );
}

#[test]
fn dart() {
    check(
        "Dart",
        &[
            ("final s = 'it ${f('x')} b'; // c", "k(final) s('it ${) f(f) s('x') s(} b') c(// c)"),
            (r"@override Widget build() => r'\d';", r"f(@override) t(Widget) f(build) s(r'\d')"),
        ],
    );
}

#[test]
fn java() {
    check(
        "Java",
        &[(
            r#"@Override public String name() { return "a\"b" + 'c' + 1L; }"#,
            r#"f(@Override) k(public) t(String) f(name) k(return) s("a\"b") s('c') n(1L)"#,
        )],
    );
    check(
        "Java",
        &[
            (r#"String t = """"#, r#"t(String) s(""")"#),
            (r#"  text "x""#, r#"s(  text "x")"#),
            (r#"  """; int i = 0;"#, r#"s(  """) t(int) n(0)"#),
        ],
    );
}

#[test]
fn kotlin() {
    check(
        "Kotlin",
        &[(
            r#"val s = "a ${f("x")} b"; val t = """raw $x""" /* a /* b */ c */"#,
            r#"k(val) s("a ${) f(f) s("x") s(} b") k(val) s("""raw $x""") c(/* a /* b */ c */)"#,
        )],
    );
}

#[test]
fn scala() {
    check(
        "Scala",
        &[(
            r#"def f(x: Int): String = s"a ${g("x")} b" + 'c' /* a /* b */ c */"#,
            r#"k(def) f(f) t(Int) t(String) s(s"a ${) f(g) s("x") s(} b") s('c') c(/* a /* b */ c */)"#,
        )],
    );
}

#[test]
fn groovy() {
    check("Groovy", &[(r#"def x = "a ${b} c" // d"#, r#"k(def) s("a ${) s(} c") c(// d)"#)]);
}

#[test]
fn swift() {
    check(
        "Swift",
        &[(
            r##"let s = "a \(f("x")) b"; let r = #"raw "q" \n"#; @objc func f() {}"##,
            r##"k(let) s("a \() f(f) s("x") s() b") k(let) s(#"raw "q" \n"#) f(@objc) k(func) f(f)"##,
        )],
    );
}

#[test]
fn go() {
    check(
        "Go",
        &[(
            r#"func (s *Server) Serve(ctx context.Context) error { return fmt.Errorf("%w", err) }"#,
            r#"k(func) f(Serve) t(error) k(return) f(Errorf) s("%w")"#,
        )],
    );
    check(
        "Go",
        &[
            ("x := `raw", "s(`raw)"),
            (r#""two"`; r := 'a'; var n = 0b1010"#, r#"s("two"`) s('a') k(var) n(0b1010)"#),
        ],
    );
}

#[test]
fn zig() {
    check(
        "Zig",
        &[
            (r"const s = \\it's raw", r"k(const) s(\\it's raw)"),
            (";", ""),
            (
                r#"pub fn f() !void { const x: u8 = 'a'; @import("std"); } // c"#,
                r#"k(pub fn) f(f) t(void) k(const) t(u8) s('a') f(@import) s("std") c(// c)"#,
            ),
        ],
    );
}

#[test]
fn haskell() {
    check(
        "Haskell",
        &[
            ("foldl' :: (a -> b) -> [Int] {- a {- b -} c -}", "t(Int) c({- a {- b -} c -})"),
            (r#"x = 'a' : "s" -- c"#, r#"s('a') s("s") c(-- c)"#),
            ("data Foo = Bar | Baz deriving Show", "k(data) t(Foo) t(Bar) t(Baz) k(deriving) t(Show)"),
        ],
    );
}

#[test]
fn ocaml() {
    check(
        "OCaml",
        &[(
            r#"let rec f x' = match x' with Some 'a' -> "s" | _ -> f (* a (* b *) *) 1"#,
            r#"k(let rec) k(match) k(with) t(Some) s('a') s("s") c((* a (* b *) *)) n(1)"#,
        )],
    );
}

#[test]
fn erlang() {
    check("Erlang", &[(r#"f(X) -> "a", 'b', ok. % c"#, r#"f(f) s("a") s('b') n(ok) c(% c)"#)]);
}

#[test]
fn clojure() {
    check("Clojure", &[(r#"(defn f [x] (let [c \"] (str "a" x))) ; c"#, r#"k(defn) k(let) s("a") c(; c)"#)]);
}

#[test]
fn protobuf() {
    check(
        "Protobuf",
        &[(
            "message A { repeated string b = 1; } // c",
            "k(message) t(A) k(repeated) t(string) n(1) c(// c)",
        )],
    );
}

#[test]
fn graphql() {
    check("GraphQL", &[("type A @key { b: Int! } # c", "k(type) t(A) f(@key) t(Int) c(# c)")]);
}
