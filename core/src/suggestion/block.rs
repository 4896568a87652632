//! Suggestions within the text of a comment: fenced blocks that are called `suggestion`.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A fenced block that says what is to be in the place of the commented lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// How many lines above the commented ones it replaces too.
    pub above: u32,
    /// How many lines below the commented ones it replaces too.
    pub below: u32,
    /// What is to be there; nothing deletes the lines.
    pub text: String,
}

impl Block {
    /// The blocks in a text, in its order.
    ///
    /// `suggestion` is what people know from forges; `suggestion:-1+2` takes lines above and below in as well.
    pub fn all_in(text: &str) -> Vec<Self> {
        let mut blocks = Vec::new();
        let mut open: Option<Self> = None;
        for event in Parser::new(text) {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => open = Self::begun(&info),
                Event::Text(text) => {
                    if let Some(block) = &mut open {
                        block.text.push_str(&text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
                _ => {}
            }
        }
        blocks
    }

    fn begun(info: &str) -> Option<Self> {
        let word = info.split_whitespace().next()?;
        let reach = word.strip_prefix("suggestion")?;
        let (above, below) = match reach.strip_prefix(':') {
            None if reach.is_empty() => (0, 0),
            None => return None,
            Some(reach) => {
                let (above, below) = reach.strip_prefix('-')?.split_once('+')?;
                (above.parse().ok()?, below.parse().ok()?)
            }
        };
        Some(Self { above, below, text: String::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_as_people_write_them() {
        let text = "Rather:\n\n```suggestion\n    let y = 1;\n\n```\n\nor not\n\n~~~suggestion:-1+2\nz\n~~~\n\n```rust\nno\n```\n\n- in a list:\n  ```suggestion\n  x\n  ```\n";
        let blocks = Block::all_in(text);
        let told: Vec<_> =
            blocks.iter().map(|block| (block.above, block.below, block.text.as_str())).collect();
        assert_eq!(told, [(0, 0, "    let y = 1;\n\n"), (1, 2, "z\n"), (0, 0, "x\n")]);
    }

    #[test]
    fn an_empty_block_deletes_and_other_blocks_are_none() {
        assert_eq!(Block::all_in("```suggestion\n```")[0].text, "");
        for other in
            ["```suggestions\nx\n```", "```suggestion:x\nx\n```", "    ```suggestion\n    x", "suggestion"]
        {
            assert_eq!(Block::all_in(other), [], "{other}");
        }
    }
}
