//! Tables of quotes and the places they belong to.

use super::*;
use crate::edit::markdown::render;
use crate::record::Quote;

fn words(exact: &str, prefix: &str, suffix: &str) -> Quote {
    Quote { exact: exact.into(), prefix: prefix.into(), suffix: suffix.into() }
}

/// Finds a quote; `▸` and `◂` enclose where it should be, and `◇` is before where it is expected.
///
/// Returns how alike the place is; without marks there should be none.
fn check(marked: &str, quote: &Quote) -> Option<QuoteLikeness> {
    let near = marked.replace(['▸', '◂'], "").find('◇');
    let text = marked.replace(['▸', '◂', '◇'], "");
    let bare = marked.replace('◇', "");
    let place =
        bare.find('▸').map(|start| start..bare.replace('▸', "").find('◂').expect("both ends are marked"));
    let found = Prose::plain(&text).find(quote, &ExpectedPlace { headings: None, near });
    match found {
        QuoteSearchResult::Here { place: here, likeness } => {
            assert_eq!(Some(here.clone()), place, "{:?} for {quote:?} in {marked:?}", &text[here]);
            Some(likeness)
        }
        QuoteSearchResult::Nowhere { .. } => {
            assert_eq!(place, None, "nothing found of {quote:?} in {marked:?}");
            None
        }
    }
}

#[test]
fn the_same_words_are_found() {
    let literal = Some(QuoteLikeness::Literal);
    let quote = words("Check the valve first", "noon. ", ". Then");
    assert_eq!(check("It starts at noon. ▸Check the valve first◂. Then go.", &quote), literal);
    assert_eq!(check("▸Check the valve first◂, says the cook, before you eat anything.", &quote), literal);
    assert_eq!(check("some ▸text◂", &words("text", "", "missing")), literal);
    assert_eq!(check("日本語の▸文章◂です", &words("文章", "語の", "です")), literal);
}

#[test]
fn typesetting_does_not_hide_them() {
    let normalised = Some(QuoteLikeness::Normalised);
    let quote = words("\"it's\" - a test...", "So ", " here");
    assert_eq!(check("So ▸“it’s” —  a\ntest…◂ here", &quote), normalised);
    assert_eq!(check("So ▸\"it's\" -- a test...◂ here", &quote), normalised);
    assert_eq!(
        check("a ▸soft\u{ad}ly said\u{a0}word◂ b", &words("softly said word", "a ", " b")),
        normalised
    );
}

#[test]
fn changed_words_are_found_where_they_were() {
    let similar =
        |found: Option<QuoteLikeness>| assert!(matches!(found, Some(QuoteLikeness::Similar(_))), "{found:?}");
    let quote = words("Check the valve first", "noon. ", ". Then");
    similar(check("The pump starts at noon. ▸Check the main valve first◂. Then check the gauge.", &quote));
    similar(check("The pump starts at noon. ▸check the valve FIRST◂. Then check the gauge.", &quote));
    similar(check("The pump starts at noon. ▸Check valves first◂. Then check the gauge.", &quote));
    similar(check("The pump starts at noon. ▸Inspect the valve first◂. Then check the gauge.", &quote));
    similar(check(
        "The pump starts at noon. ▸Check the valve before starting◂. Then check the gauge.",
        &quote,
    ));
    similar(check("The pump starts at noon. Please ▸check the valve first◂. Then check.", &quote));
    similar(check("for a time, ▸many years later◂, it rained", &words("some years later", "", "")));
    similar(check("we had everything ◇▸before us◂, we had nothing before us", &words("befor us", "", "")));
}

#[test]
fn what_is_gone_is_not_found_elsewhere() {
    let quote = words("Check the valve first", "noon. ", ". Then");
    assert_eq!(check("Nothing of it is left here.", &quote), None);
    assert_eq!(check("The pump starts at noon. Then check the gauge.", &quote), None);
    assert_eq!(check("", &quote), None);
    let removed = words("the left valve", "When all is quiet, close ", ", then wait for a minute");
    let text =
        "When all is quiet, close, then wait for a minute. Then, when all is quiet, open the right valve.";
    assert_eq!(check(text, &removed), None);
    assert_eq!(check("foobar", &words("", "", "")), None);
    let short = words("valve", "Always check the main ", " before you start the pump");
    assert_eq!(check("A valve is a device for controlling the passage of a fluid.", &short), None);
    let cities = "It was the best of times, it was the worst of times, it was the age of wisdom.";
    let solitude = words("Many years later, as he faced the firing squad, he was to remember", "", "");
    assert_eq!(check(cities, &solitude), None);
}

#[test]
fn duplicates_are_told_apart_by_what_stands_around() {
    let text = |place: usize| {
        let parts = ["we had everything ", "before us", ", we had nothing ", "before us", ", we went"];
        let mark = |(at, part): (usize, &&str)| {
            if at == place { format!("▸{part}◂") } else { (*part).to_owned() }
        };
        parts.iter().enumerate().map(mark).collect::<String>()
    };
    check(&text(1), &words("before us", "we had everything", ""));
    check(&text(3), &words("before us", "we had nothing", ""));
    check(&text(1), &words("before us", "we had every-thing", ""));
    check(&text(3), &words("before us", "we had no thing", ""));
    check(&text(3), &words("before us", "", ", we went"));
    check(&text(1), &words("before us", "", "we had nutting"));
}

#[test]
fn distance_breaks_a_tie_and_nothing_else_does() {
    check("one two. ◇▸one◂ two. one two.", &words("one", "", " two"));
    check("▸one◂ ◇two. Or one two.", &words("one", "", " two"));
    check("one two. one two.", &words("one", "", " two"));
    // What is around weighs more than distance.
    check("◇one three. ▸one◂ two.", &words("one", "", " two"));
}

#[test]
fn a_changed_text_in_its_place_beats_the_same_text_elsewhere() {
    let quote = words("the relief valve", "Before the start, close ", " by hand and wait for a minute.");
    check(
        "A word on the relief valve: it is red. Before the start, close ▸the red relief valve◂ by hand and wait for a minute.",
        &quote,
    );
}

#[test]
fn the_same_words_among_strangers_give_way_to_changed_words_in_their_surroundings() {
    // Too short to be known elsewhere.
    let quote = words("foo bar", "alpha beta ", " gamma delta");
    check("Some foo bar stands here. Then alpha beta ▸foo baz◂ gamma delta.", &quote);
    check("Some foo bar stands here. Then nothing of it.", &quote);
    // A few words.
    let quote = words("Check the valve", "At noon sharp, ", " and then open the gate");
    check(
        "Nobody may Check the valve without a permit. At noon sharp, ▸Inspect the valve◂ and then open the gate.",
        &quote,
    );
    // Nor does it matter that the stranger is spelled a little differently.
    check(
        "Nobody may check the valve without a permit. At noon sharp, ▸Check the gauge◂ and then open the gate.",
        &quote,
    );
    // Other words altogether, however many: neither can be defended.
    let others = "read what the old book says about valves, pumps and all that can be found in a house, and think of it";
    check(
        &format!(
            "Nobody may Check the valve without a permit. At noon sharp, {others} and then open the gate."
        ),
        &quote,
    );
    check(
        "Nobody may Check the valve without a permit. At noon sharp, wash your hands and then open the gate.",
        &quote,
    );
    // With nothing of their surroundings left, the only such words are those.
    check("Nobody may ▸Check the valve◂ without a permit. That is all there is to say.", &quote);
    // A sentence, in surroundings that changed a little.
    let quote = words(
        "The pump is flushed with clean water",
        "It runs every morning at six. ",
        ", and the log says how much.",
    );
    check(
        "In winter it is otherwise. The pump is flushed with clean water there too. It runs each morning at six. \
         ▸The pump is rinsed with hot water◂, and the log says how much.",
        &quote,
    );
    // A paragraph that was rewritten, and quoted by others.
    let long = "Whoever starts the pump must be trained, wear gloves, and read the log of the last shift \
                before touching the valve.";
    let rewritten = "Whoever starts the pump must be trained, wear gloves and goggles, and sign the log of the last \
                     shift before they touch a valve.";
    let quote = words(long, "Rules of the house. ", " Guests stay outside.");
    check(
        &format!(
            "The old book said: {long} That was then. Rules of the house. ▸{rewritten}◂ Guests stay outside."
        ),
        &quote,
    );
}

#[test]
fn words_that_were_moved_are_known_by_themselves() {
    let long = "Whoever starts the pump must be trained, wear gloves, and read the log of the last shift \
                before touching the valve.";
    let quote = words(long, "Rules of the house. ", " Guests stay outside.");
    let other =
        "Smoking is not allowed anywhere, nor are dogs, bicycles, large bags and loud music of any kind.";
    for left in [
        "Rules of the house. Guests stay outside.".to_owned(),
        format!("Rules of the house. {other} Guests stay outside."),
        "Nothing of that.".to_owned(),
    ] {
        check(&format!("{left} In an appendix far away: ▸{long}◂ This is its end."), &quote);
    }
    // A sentence whose place was taken by another one.
    let quote = words("The pump is flushed with clean water", "at six. ", ", and the log says how much.");
    check(
        "It runs at six. Nobody is there, and the log says how much. Later on ▸The pump is flushed with clean water◂ too.",
        &quote,
    );
}

#[test]
fn of_equal_places_the_nearer_one_is_meant() {
    let long = "Whoever starts the pump must be trained, wear gloves, and read the log of the last shift \
                before touching the valve.";
    // Nothing around them speaks for either, and they speak for themselves.
    let quote = words(long, "Rules of the house. ", " Guests stay outside.");
    let (first, second, third) =
        ("A first page about nothing: ", " Pumps are red, and valves are blue. ", " That was it.");
    check(&format!("{first}{long}{second}◇▸{long}◂{third}"), &quote);
    check(&format!("{first}◇▸{long}◂{second}{long}{third}"), &quote);
    check(&format!("{first}{long}{second}{long}{third}"), &quote);
    // Short ones without surroundings.
    check("- item\n- item\n◇- ▸item◂\n- item\n", &words("item", "- ", "\n"));
    check("a valve, ◇a ▸valve◂, a valve", &words("valve", "", ""));
    // Changed words, twice alike.
    check(
        "Then close the red valve by hand. And so on. ◇Then close ▸the red valve◂ by hand. And so on.",
        &words("the old valve", "Then close ", " by hand"),
    );
    // Nothing is said of where: nobody knows.
    check("a valve, a valve, a valve", &words("valve", "", ""));
}

#[test]
fn headings_tell_duplicates_apart() {
    let source = "# A\n\n## Use\n\nRun it **twice**.\n\n# B\n\n## Use\n\nRun it twice.\n";
    let page = render(source).expect("the page is small");
    let prose = Prose::rendered(&page);
    let quote = words("Run it twice", "Use\n", ".");
    let at = |headings: &[&str]| {
        let headings: Vec<String> = headings.iter().map(ToString::to_string).collect();
        match prose.find(&quote, &ExpectedPlace { headings: Some(&headings), near: None }) {
            QuoteSearchResult::Here { place, .. } => {
                page.map().source_of(&place).map(|range| source[range].to_owned())
            }
            QuoteSearchResult::Nowhere { candidates } => {
                assert_eq!(candidates.len(), 2);
                None
            }
        }
    };
    assert_eq!(at(&["A", "Use"]).as_deref(), Some("Run it **twice**"));
    assert_eq!(at(&["B", "Use"]).as_deref(), Some("Run it twice"));
    assert_eq!(at(&["C", "Use"]), None, "a renamed parent leaves two that are equal");
    assert_eq!(at(&["Other"]), None);
}

#[test]
fn renamed_headings_do_not_hide_a_quote() {
    let page = render("# New\n\n### Deeper\n\nOnly here stands this sentence.\n").expect("the page is small");
    let headings = ["Old".to_owned()];
    let found = Prose::rendered(&page).find(
        &words("Only here stands this sentence", "Old\n", "."),
        &ExpectedPlace { headings: Some(&headings), near: Some(0) },
    );
    assert!(matches!(found, QuoteSearchResult::Here { likeness: QuoteLikeness::Literal, .. }), "{found:?}");
}

#[test]
fn a_literal_search_takes_the_first_place_or_none() {
    let prose = Prose::plain("a b c a b c");
    assert_eq!(prose.first_literal(&words("b", "a ", " c")), Some(2..3));
    assert_eq!(prose.first_literal(&words("b", "c ", "")), None);
    assert_eq!(prose.first_literal(&words("a", "c ", "")), Some(6..7));
    assert_eq!(prose.first_literal(&words("b  c", "", "")), None);
    assert_eq!(prose.first_literal(&words("", "a", "")), None);
    let page = render("a\nb\n\nc").expect("the page is small");
    assert_eq!(Prose::rendered(&page).first_literal(&words("b\nc", "a\n", "")), Some(2..5));
}

#[test]
fn a_long_quote_is_found_after_changes_in_it() {
    let sentence = |number: usize| format!("Sentence number {number} speaks of {}. ", number * 7919 % 1000);
    let long: String = (100..300).map(sentence).collect();
    let quote = words(long.trim(), "the start. ", " The end");
    let changed =
        long.replace("number 200 ", "number two hundred, newly worded, ").replace("number 150 ", "");
    let others: String = (400..900).map(sentence).collect();
    let marked = format!("{others}Here is the start. ▸{}◂ The end of it. {others}", changed.trim());
    assert!(matches!(check(&marked, &quote), Some(QuoteLikeness::Similar(900..))));
}
