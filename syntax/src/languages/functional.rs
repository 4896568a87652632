//! Haskell, Elixir, Erlang, OCaml and Clojure: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{BlockComment, LexRules, Oddity, StringRule};

language!(
    HASKELL,
    Grammar::Code,
    LanguageNames {
        name: "Haskell",
        extensions: "hs lhs hsc purs elm",
        programs: "runhaskell stack",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["--"],
        block_comments: &[BlockComment { open: "{-", close: "-}", nests: true, at_line_start: false }],
        strings: &[StringRule::line("\"")],
        keywords: "case class data default deriving do else family forall foreign hiding if import in infix infixl infixr \
             instance let mdo module newtype of pattern proc qualified rec then type where",
        literals: "True False",
        capital_types: true,
        word_endings: "'",
        oddities: &[Oddity::Characters],
        ..LexRules::NONE
    },
);

language!(
    ELIXIR,
    Grammar::Code,
    LanguageNames {
        name: "Elixir",
        extensions: "ex exs heex leex",
        files: "mix.lock",
        programs: "elixir iex",
        ..LanguageNames::NONE
    },
    LexRules {
        strings: &[
            StringRule::lines("\"\"\"").with_code("#{", b'{', b'}'),
            StringRule::lines("'''").with_code("#{", b'{', b'}'),
            StringRule::lines("\"").with_code("#{", b'{', b'}'),
            StringRule::line("'").with_code("#{", b'{', b'}'),
        ],
        keywords: "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmacrop defmodule \
             defoverridable defp defprotocol defstruct do else end fn for if import in not or quote raise receive \
             require rescue reraise super throw try unless unquote use when with",
        literals: "true false nil",
        capital_types: true,
        word_endings: "?!",
        oddities: &[Oddity::Sigils, Oddity::Decorators],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    ERLANG,
    Grammar::Code,
    LanguageNames {
        name: "Erlang",
        extensions: "erl hrl",
        files: "rebar.config",
        programs: "escript",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["%"],
        strings: &[StringRule::lines("\""), StringRule::line("'")],
        keywords: "after and andalso begin bnot bor bsl bsr bxor case catch div else end fun if maybe not of or orelse \
             receive rem throw try when xor",
        literals: "true false undefined ok",
        calls: true,
        ..LexRules::NONE
    },
);

language!(
    OCAML,
    Grammar::Code,
    LanguageNames {
        name: "OCaml",
        fences: "fsharp",
        extensions: "ml mli mll mly fs fsi fsx",
        programs: "ocaml",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["///", "// "],
        block_comments: &[BlockComment { open: "(*", close: "*)", nests: true, at_line_start: false }],
        strings: &[StringRule::raw("{|", "|}"), StringRule::lines("\"")],
        keywords: "and as assert begin class constraint do done downto else end exception external for fun function functor if \
             in include inherit initializer lazy let match member method module mutable namespace new nonrec object \
             of open private rec sig struct then to try type val virtual when while with yield async use",
        literals: "true false",
        types: "bool bytes char exn float int list option string unit",
        capital_types: true,
        word_endings: "'",
        oddities: &[Oddity::Characters],
        ..LexRules::NONE
    },
);

language!(
    CLOJURE,
    Grammar::Code,
    LanguageNames {
        name: "Clojure",
        fences: "lisp scheme elisp",
        extensions: "clj cljs cljc edn el lisp scm rkt",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &[";"],
        strings: &[StringRule::lines("\"")],
        keywords: "and case cond cond-> cond->> def define defmacro defmethod defmulti defn defn- defonce defprotocol defrecord \
             deftype defun defvar do doseq dotimes fn for if if-let if-not lambda let let* letfn loop ns or quote recur \
             reify require setq throw try when when-let when-not while",
        literals: "true false nil t",
        word_bytes: "*+!?<>=-",
        word_endings: "'/.",
        oddities: &[Oddity::CodeEscapes],
        ..LexRules::NONE
    },
);
