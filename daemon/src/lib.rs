//! Watches repositories and keeps their review notes whole.
