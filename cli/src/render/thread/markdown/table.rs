//! Tables: columns under each other if they fit, else a row a line.

use anstyle::Style;

use super::super::styled::StyledLine;

/// Between two columns.
const GAP: &str = "  ";

/// The rows of a table as lines; the first row is its heading.
pub fn table_lines(rows: &[Vec<StyledLine>], room: usize) -> Vec<StyledLine> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(StyledLine::width).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let fits = widths.iter().sum::<usize>() + GAP.len() * columns.saturating_sub(1) <= room;
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let mut line = StyledLine::default();
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                line.push(if fits { GAP } else { " | " }, Style::new());
            }
            line.append(cell);
            if fits && column + 1 < row.len() {
                line.push(&" ".repeat(widths[column] - cell.width()), Style::new());
            }
        }
        if fits {
            lines.push(line);
        } else {
            lines.extend(line.wrap(room));
        }
        if at == 0 && fits {
            let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            let mut line = StyledLine::default();
            line.push(&rules.join(GAP), Style::new().dimmed());
            lines.push(line);
        }
    }
    lines
}
