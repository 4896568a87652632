//! Languages that a program runs, and what builds things.

use super::spans_of::check;

#[test]
fn python() {
    check(
        "Python",
        &[
            ("def f(x: int) -> str: # comment", "k(def) f(f) t(int) t(str) c(# comment)"),
            (r#"    """Doc"#, r#"s("""Doc)"#),
            (r#"    string's""""#, r#"s(    string's""")"#),
            (
                r#"    return f"{x!r} {d['k']} {{}}" + r'\d' + b"x""#,
                r#"k(return) s(f"{) s(} {) s('k') s(} {{}}") s(r'\d') s(b"x")"#,
            ),
        ],
    );
    check(
        "Python",
        &[
            ("@decorator", "f(@decorator)"),
            (
                "class Foo(Base): x = None; y = 3.14j; print(x)",
                "k(class) f(Foo) t(Base) n(None) n(3.14j) f(print)",
            ),
        ],
    );
    check(
        "Python",
        &[
            (r#"s = 'it\'s'; t = "don't"; u = '''a"#, r#"s('it\'s') s("don't") s('''a)"#),
            ("b''' if x else 1", "s(b''') k(if) k(else) n(1)"),
        ],
    );
}

#[test]
fn ruby() {
    check(
        "Ruby",
        &[
            (r#"def name?; "a #{x + "y"} b"; end # c"#, r#"k(def) s("a #{) s("y"} b") k(end) c(# c)"#),
            ("x = %w[a b c]; y = /re#x/ =~ s; z = a / b", "s(%w[a b c]) s(/re#x/)"),
        ],
    );
    check(
        "Ruby",
        &[
            ("x = <<~EOS", "s(<<~EOS)"),
            ("  it's text", "s(  it's text)"),
            ("EOS", "s(EOS)"),
            ("puts :sym, @v, 'x'", "s('x')"),
        ],
    );
    check(
        "Ruby",
        &[
            ("=begin", "c(=begin)"),
            ("docs don't", "c(docs don't)"),
            ("=end", "c(=end)"),
            ("class Foo < Bar; a << b; end", "k(class) t(Foo) t(Bar) k(end)"),
        ],
    );
}

#[test]
fn perl() {
    check(
        "Perl",
        &[(
            r#"my $x = qw(a b); s/it's/"x"/g; my %h = (y => 1); print "a" if /re/; # c"#,
            r#"k(my) t($x) s(qw(a b)) s(s/it's/"x"/g) k(my) n(1) k(print) s("a") k(if) s(/re/) c(# c)"#,
        )],
    );
    check(
        "Perl",
        &[
            (r#"print <<"EOT", 1;"#, r#"k(print) s(<<"EOT") n(1)"#),
            ("don't", "s(don't)"),
            ("EOT", "s(EOT)"),
            ("=pod", "c(=pod)"),
            ("it's doc", "c(it's doc)"),
            ("=cut", "c(=cut)"),
            ("sub f { return $_[0]; }", "k(sub) k(return) t($_) n(0)"),
        ],
    );
}

#[test]
fn shell() {
    check(
        "Shell",
        &[
            ("#!/bin/sh", "c(#!/bin/sh)"),
            (
                r#"if [ "$x" = 'it' ]; then echo "a $(cmd "b") c"; fi # done"#,
                r#"k(if) s("$x") s('it') k(then) s("a $() s("b") c") k(fi) c(# done)"#,
            ),
            (r"echo ${#arr} $# it\'s a#b", ""),
        ],
    );
    check(
        "Shell",
        &[
            ("cat <<EOF && cat <<-'X'", "s(<<EOF) s(<<-'X')"),
            (r#"it's "one"#, r#"s(it's "one)"#),
            ("EOF", "s(EOF)"),
            ("\ttwo", "s(\ttwo)"),
            ("\tX", "s(\tX)"),
            ("echo $((1 << n)) done", "n(1) k(done)"),
        ],
    );
    check(
        "Shell",
        &[(
            r#"x=$'a\'b'; for i in *; do echo $i; done; cat <<<"here""#,
            r#"s($'a\'b') k(for) k(in) k(do) t($i) k(done) s("here")"#,
        )],
    );
}

#[test]
fn powershell() {
    check(
        "PowerShell",
        &[(
            r#"function Get-X { param($A) <# c #> "a $(f "x") b"; $true }"#,
            r#"k(function) k(param) t($A) c(<# c #>) s("a $() s("x") b") t($true)"#,
        )],
    );
}

#[test]
fn lua() {
    check(
        "Lua",
        &[
            ("local s = [[a", "k(local) s([[a)"),
            ("b]] --[==[ c", "s(b]]) c(--[==[ c)"),
            (r#"]] d ]==] local x = f("y") -- e"#, r#"c(]] d ]==]) k(local) f(f) s("y") c(-- e)"#),
        ],
    );
}

#[test]
fn r() {
    check(
        "R",
        &[
            (
                r#"f <- function(x.y) { x %in% c("a", 'b') } # TRUE"#,
                r#"k(function) k(in) f(c) s("a") s('b') c(# TRUE)"#,
            ),
            ("y <- TRUE; z <- NULL", "n(TRUE) n(NULL)"),
        ],
    );
}

#[test]
fn julia() {
    check(
        "Julia",
        &[(
            r#"function f!(x) "a $(g("b"))" end #= c =# 'a' A'"#,
            r#"k(function) f(f!) s("a $() f(g) s("b") s()") k(end) c(#= c =#) s('a') t(A)"#,
        )],
    );
}

#[test]
fn elixir() {
    check(
        "Elixir",
        &[
            ("defmodule A.B do", "k(defmodule) t(A) t(B) k(do)"),
            (r#"  @doc "x #{y}""#, r#"f(@doc) s("x #{) s(}")"#),
            (r#"  def f?(x), do: ~r/a"b/ # c"#, r#"k(def) f(f?) k(do) s(~r/a"b/) c(# c)"#),
            ("end", "k(end)"),
        ],
    );
}

#[test]
fn javascript() {
    check(
        "JavaScript",
        &[(
            "const s = `a ${f({a: 1})} b ${`in ${x}`} c`; // d",
            "k(const) s(`a ${) f(f) n(1) s(} b ${`in ${) s(}`} c`) c(// d)",
        )],
    );
    check(
        "JavaScript",
        &[(
            r#"const re = /[/"']\/x/gi; const d = a / b / c; x = y.replace(/'/g, "");"#,
            r#"k(const) s(/[/"']\/x/gi) k(const) f(replace) s(/'/g) s("")"#,
        )],
    );
    check(
        "JavaScript",
        &[
            ("return /ab+c/.test(s) ? 1 : 2; (/x/); a = b", "k(return) s(/ab+c/) f(test) n(1) n(2) s(/x/)"),
            ("/ 2", "n(2)"),
        ],
    );
    check(
        "JavaScript",
        &[("`multi", "s(`multi)"), ("line ${a +", "s(line ${)"), (" b} end`; f()", "s(} end`) f(f)")],
    );
    check(
        "JavaScript",
        &[(r#"<div className="x" on={() => f(1)}>it's here</div>; <br />"#, r#"s("x") f(f) n(1)"#)],
    );
    check(
        "JavaScript",
        &[(
            "import x from 'y'; export default async function $foo() { await g?.(); }",
            "k(import) k(from) s('y') k(export default async function) f($foo) k(await)",
        )],
    );
}

#[test]
fn typescript() {
    check(
        "TypeScript",
        &[(
            "interface A<T> { readonly x: string; f(): Promise<void> } @Injectable() class B {}",
            "k(interface) t(A) t(T) k(readonly) t(string) f(f) t(Promise) k(void) f(@Injectable) k(class) t(B)",
        )],
    );
}

#[test]
fn php() {
    check(
        "PHP",
        &[
            (
                r#"<p>it's</p><?php $x = "a {$b['c']}"; // c"#,
                r#"k(p) k(p) k(<?php) t($x) s("a {$) s('c') s(}") c(// c)"#,
            ),
            ("echo <<<EOT", "k(echo) s(<<<EOT)"),
            ("it's $x", "s(it's $x)"),
            ("EOT;", "s(EOT)"),
            (
                r#"function f(int $a): ?string { return null; } ?><b class="x">"#,
                r#"k(function) f(f) t(int $a) t(string) k(return) n(null) k(?>) k(b) t(class) s("x")"#,
            ),
        ],
    );
}

#[test]
fn sql() {
    check(
        "SQL",
        &[
            (
                "SELECT count(*) FROM t WHERE a = 'it''s' AND b IS NOT NULL -- c",
                "k(SELECT) f(count) k(FROM) k(WHERE) s('it''s') k(AND) k(IS NOT) n(NULL) c(-- c)",
            ),
            (r#"insert INTO "x" values (1, 2.5);"#, r#"k(insert INTO) s("x") k(values) n(1) n(2.5)"#),
        ],
    );
}

#[test]
fn makefile() {
    check(
        "Makefile",
        &[
            ("CC := gcc # c", "t(CC) c(# c)"),
            ("all: main.o $(X)", "f(all)"),
            ("\t$(CC) -o \"it\" 'x'", r#"s("it" 'x')"#),
            ("ifeq ($(A),b)", "k(ifeq)"),
            ("endif", "k(endif)"),
            ("export Y = 1", "k(export) n(1)"),
        ],
    );
}

#[test]
fn dockerfile() {
    check(
        "Dockerfile",
        &[
            ("FROM rust:1 AS build", "k(FROM) n(1)"),
            ("# c", "c(# c)"),
            (r#"RUN echo "it's" && run x"#, r#"k(RUN) s("it's")"#),
            ("ENV A=$B", "k(ENV) t($B)"),
        ],
    );
}

#[test]
fn cmake() {
    check(
        "CMake",
        &[
            (r#"set(X "a" ON) # c"#, r#"f(set) s("a") n(ON) c(# c)"#),
            (r#"if(X STREQUAL "b")"#, r#"k(if) k(STREQUAL) s("b")"#),
        ],
    );
}

#[test]
fn hcl() {
    check(
        "HCL",
        &[(
            r#"resource "a" "b" { c = "d ${e("f")}" } # g"#,
            r#"k(resource) s("a" "b") s("d ${) f(e) s("f") s(}") c(# g)"#,
        )],
    );
}

#[test]
fn nix() {
    check(
        "Nix",
        &[(r#"{ a = ''it "s" ${b}''; c-d = import ./x; } # e"#, r#"s(''it "s" ${) s(}'') k(import) c(# e)"#)],
    );
}
