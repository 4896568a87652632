//! Checks the rules about the source text that neither the compiler nor clippy knows.
//!
//! Each rule is a module: a pure function from sources to complaints, with a test on a bad snippet that shows it
//! can fail. The tests here run all of them over this repository. Each module explains what its rule is for.

mod code;
mod command_words;
mod folders;
mod glossary;
mod leftovers;
mod links;
mod names;
mod openings;
mod rooms;
mod serialised;
mod sizes;
mod source;
mod type_names;

use source::{Complaint, Source};

fn assert_none(complaints: &[Complaint]) {
    let list: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} complaints:\n{}", list.len(), list.join("\n"));
}

fn over_all_rust(check: fn(&[&Source]) -> Vec<Complaint>) -> Vec<Complaint> {
    let sources = source::repository();
    check(&sources.iter().filter(|source| source.is_rust()).collect::<Vec<_>>())
}

fn over_rust(check: fn(&Source) -> Vec<Complaint>) -> Vec<Complaint> {
    let sources = source::repository();
    let rust: Vec<&Source> = sources.iter().filter(|source| source.is_rust()).collect();
    assert!(rust.len() > 10, "the walk finds the repository's sources");
    rust.into_iter().flat_map(check).collect()
}

#[test]
fn data_flows_one_way_between_rooms() {
    assert_none(&over_rust(rooms::imports));
}

#[test]
fn data_flows_one_way_between_crates() {
    assert_none(&source::repository().iter().flat_map(rooms::crates).collect::<Vec<_>>());
}

#[test]
fn only_the_daemon_the_page_and_half_of_the_client_know_a_runtime() {
    assert_none(&source::repository().iter().flat_map(rooms::runtime).collect::<Vec<_>>());
}

#[test]
fn files_are_named_after_the_one_thing_inside_them() {
    assert_none(&over_rust(names::vague));
}

#[test]
fn a_type_name_is_defined_once() {
    assert_none(&over_all_rust(type_names::repeated));
}

#[test]
fn folders_have_few_siblings() {
    assert_none(&over_all_rust(folders::crowded));
}

#[test]
fn the_glossary_and_the_code_use_the_same_words() {
    let sources = source::repository();
    assert_none(&glossary::unused(&sources));
    assert_none(&glossary::unexplained(&sources));
    assert_none(&glossary::needless(&sources));
}

#[test]
fn links_in_the_documentation_lead_somewhere() {
    assert_none(&links::broken(&source::repository()));
}

#[test]
fn files_stay_short() {
    assert_none(&over_rust(sizes::too_long));
}

#[test]
fn the_mod_rs_of_a_room_holds_no_logic() {
    assert_none(&over_rust(sizes::logic_in_mod));
}

#[test]
fn every_file_opens_by_saying_what_lives_there() {
    assert_none(&over_rust(openings::missing));
}

#[test]
fn types_that_cross_a_process_live_in_two_rooms() {
    assert_none(&over_rust(serialised::elsewhere));
}

#[test]
fn the_service_names_no_command_of_a_client() {
    assert_none(&over_rust(command_words::in_service));
}

#[test]
fn nothing_is_left_open() {
    assert_none(&over_rust(leftovers::open_ends));
}

#[test]
fn tests_wait_for_conditions_and_never_sleep() {
    assert_none(&over_rust(leftovers::sleeps));
}

#[test]
fn tests_do_not_spin() {
    assert_none(&over_rust(leftovers::spins));
}

#[test]
fn files_are_not_taken_in_by_their_paths() {
    assert_none(&over_rust(leftovers::taken_in));
}

#[test]
fn no_file_names_a_machine_it_was_written_on() {
    assert_none(&source::repository().iter().flat_map(leftovers::machine_paths).collect::<Vec<_>>());
}
