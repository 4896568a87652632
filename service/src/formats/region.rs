//! Lines and columns as other tools count them: from one, with an end that is not part of it.

use postil_protocol::Span;

/// What a tool says of a region; columns end before the character that they name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportRegion {
    /// The first line.
    pub start_line: Option<u32>,
    /// The first column.
    pub start_column: Option<u32>,
    /// The last line.
    pub end_line: Option<u32>,
    /// The column after the last one.
    pub end_column: Option<u32>,
}

impl ReportRegion {
    /// The lines and columns, both ends part of it; `None` for a whole file.
    pub fn span(self) -> Result<Option<Span>, String> {
        let Some(start) = self.start_line else { return Ok(None) };
        let end = self.end_line.unwrap_or(start);
        if end < start {
            return Err(format!("its last line is before its first: {start} to {end}"));
        }
        let lines = Span::lines(start, end);
        Ok(Some(match (self.start_column, self.end_column) {
            // An end at the first column is the end of the line before.
            (start_column, Some(1)) if end > start => {
                let start_column = start_column.filter(|column| *column > 1);
                Span { end: end - 1, start_column, end_column: start_column.map(|_| u32::MAX), ..lines }
            }
            (start_column, Some(behind)) => {
                let start_column = start_column.unwrap_or(1);
                if start == end && behind <= start_column {
                    return Ok(Some(lines));
                }
                Span { start_column: Some(start_column), end_column: Some(behind - 1), ..lines }
            }
            (_, None) => lines,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_become_spans_that_hold_both_their_ends() {
        let check = |(start_line, start_column, end_line, end_column), span| {
            let some = |number: u32| Some(number).filter(|number| *number > 0);
            let region = ReportRegion {
                start_line: some(start_line),
                start_column: some(start_column),
                end_line: some(end_line),
                end_column: some(end_column),
            };
            assert_eq!(region.span().unwrap(), span, "{region:?}");
        };
        let columns = |start, first, end, last| {
            Some(Span { start, end, start_column: Some(first), end_column: Some(last) })
        };
        check((0, 0, 0, 0), None);
        check((5, 0, 0, 0), Some(Span::lines(5, 5)));
        check((5, 0, 6, 0), Some(Span::lines(5, 6)));
        check((1, 5, 1, 7), columns(1, 5, 1, 6));
        check((5, 23, 6, 1), columns(5, 23, 5, u32::MAX));
        check((2, 0, 3, 1), Some(Span::lines(2, 2)));
        check((2, 4, 2, 4), Some(Span::lines(2, 2)));
        check((2, 4, 0, 0), Some(Span::lines(2, 2)));
        assert!(
            ReportRegion { start_line: Some(3), end_line: Some(2), ..ReportRegion::default() }
                .span()
                .is_err()
        );
    }
}
