//! Finds commented lines again.
