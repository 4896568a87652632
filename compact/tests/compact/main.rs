//! Compact lists, as agents read them: what they cost, what they tell, and what cannot be forged in them.

mod budget;
mod shown;
mod views;
