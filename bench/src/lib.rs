//! What `postil-lab` answers, as functions: a line of JSON in, a line of JSON out.

pub mod quote;
