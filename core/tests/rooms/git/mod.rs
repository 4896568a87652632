//! Repositories, objects, trees, refs and history, beside a git that uses the same.

mod history;
mod missing_objects;
mod objects;
mod refs;
mod repository;
mod trees;
mod work_tree;
