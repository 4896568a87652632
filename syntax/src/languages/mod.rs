//! The tables, one for each language.

mod all;
mod build;
mod c_family;
mod data;
mod functional;
mod managed;
mod scripts;
mod styles;
mod systems;
mod text;
mod web;

pub(crate) use all::ALL;
pub(crate) use styles::CSS;
pub(crate) use web::{JAVASCRIPT, PHP, TYPESCRIPT};
