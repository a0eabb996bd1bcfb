//! Pages: a template whose directives are replaced by tables, figures and findings.

use crate::figure::SvgFigure;
use anyhow::{Context, anyhow, bail};
use forage_experiment::chart::{Chart, ChartLine, ChartPoint, SIZE, draw_chart};
use forage_experiment::{
    MeasuredTable, MeasuredTables, PointValue, format_table_number, markdown_table,
};

/// Replaces the directives of a template, the lines that start with `@`. Returns the page, and the
/// figures that it refers to. `path_of` returns the path of a figure by name.
///
/// # Errors
/// Fails if a directive is malformed, or if a figure cannot be drawn. The message starts with the
/// line number.
pub(crate) fn fill_template(
    template: &str,
    tables: &MeasuredTables,
    findings: &str,
    path_of: impl Fn(&str) -> String,
) -> anyhow::Result<(String, Vec<SvgFigure>)> {
    let mut page = String::new();
    let mut figures = Vec::new();
    for (index, line) in template.lines().enumerate() {
        let in_line = || format!("line {}", index + 1);
        match line.split_once(' ').unwrap_or((line, "")) {
            ("@findings", "") => page.push_str(findings.trim_matches('\n')),
            ("@table", arguments) => {
                let table = fill_table(arguments, tables).with_context(in_line)?;
                page.push_str(table.trim_end());
            }
            ("@figure", arguments) => {
                let figure = draw_table_figure(arguments, tables).with_context(in_line)?;
                let path = path_of(&figure.name);
                page.push_str(&format!("![{}]({path})", figure.title));
                figures.push(figure);
            }
            ("@panels", arguments) => {
                let figure = draw_panels(arguments, tables).with_context(in_line)?;
                let path = path_of(&figure.name);
                page.push_str(&format!("![{}]({path})", figure.title));
                figures.push(figure);
            }
            (word, _) if word.starts_with('@') => {
                bail!(
                    "{}: `{word}` is not a directive; use @table, @figure, @panels or @findings",
                    in_line()
                )
            }
            _ => page.push_str(line),
        }
        page.push('\n');
    }
    Ok((page, figures))
}

/// Returns the table of `EXPERIMENT TARGET | HEADING: VALUE | ...`, with a row for each setting.
fn fill_table(arguments: &str, tables: &MeasuredTables) -> anyhow::Result<String> {
    let mut parts = arguments.split('|').map(str::trim);
    let source: Vec<&str> = parts
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let [experiment, target] = source[..] else {
        bail!("@table is followed by an experiment and a target");
    };
    let mut headings = vec!["setting"];
    let mut values = Vec::new();
    for part in parts {
        let (heading, value) = part
            .rsplit_once(": ")
            .ok_or_else(|| anyhow!("`{part}` is not a heading and a value such as `best F: F`"))?;
        let words: Vec<&str> = value.split_whitespace().collect();
        headings.push(heading);
        values.push(PointValue::parse(&words).map_err(anyhow::Error::msg)?);
    }
    let row = |table: &MeasuredTable| {
        let cells = values.iter().map(|value| match value.measure(table) {
            Some(number) => format_table_number(number),
            None => "–".into(),
        });
        std::iter::once(format!("`{}`", table.setting))
            .chain(cells)
            .collect()
    };
    let rows: Vec<Vec<String>> = tables.of(experiment, target).map(row).collect();
    if rows.is_empty() {
        return Ok("*Not measured.*".into());
    }
    Ok(markdown_table(&headings, 1, rows))
}

/// Draws the figure of `NAME EXPERIMENT TARGET X[<=END] Y: TITLE`, with a line for each setting.
fn draw_table_figure(arguments: &str, tables: &MeasuredTables) -> anyhow::Result<SvgFigure> {
    let (words, title) = arguments.split_once(": ").unwrap_or((arguments, ""));
    let words: Vec<&str> = words.split_whitespace().collect();
    let [name, experiment, target, x, y] = words[..] else {
        bail!(
            "@figure is followed by a name, an experiment, a target, two columns, and `: ` with the title"
        );
    };
    let (x, end) = match x.split_once("<=") {
        Some((x, end)) => (
            x,
            end.parse()
                .with_context(|| format!("`{end}` is not a number"))?,
        ),
        None => (x, f64::INFINITY),
    };
    let lines = tables.of(experiment, target).map(|table| ChartLine {
        name: table.setting.clone(),
        points: points_of(table, x, y, end),
    });
    let chart = Chart {
        title: title.into(),
        x_label: x.into(),
        y_label: y.into(),
        limit: None,
        x_names: Vec::new(),
        lines: lines.collect(),
    };
    Ok(SvgFigure {
        name: name.into(),
        title: title.into(),
        svg: draw_chart(&chart).with_context(|| format!("figure {name}"))?,
    })
}

/// Draws the figure of `NAME EXPERIMENT TARGET,... X Y: TITLE`: a panel for each target, one above
/// the other, with a line for each setting and a band from the column `Y-low` to `Y-high`.
fn draw_panels(arguments: &str, tables: &MeasuredTables) -> anyhow::Result<SvgFigure> {
    let (words, title) = arguments.split_once(": ").unwrap_or((arguments, ""));
    let words: Vec<&str> = words.split_whitespace().collect();
    let [name, experiment, targets, x, y] = words[..] else {
        bail!(
            "@panels is followed by a name, an experiment, targets, two columns, and `: ` with the title"
        );
    };
    let targets: Vec<&str> = targets.split(',').collect();
    let (width, height) = (SIZE.0, SIZE.1 * targets.len() as u32);
    let mut svg = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n"
    );
    for (number, target) in targets.iter().enumerate() {
        let lines = tables.of(experiment, target).map(|table| ChartLine {
            name: table.setting.clone(),
            points: banded_points(table, x, y),
        });
        let chart = Chart {
            title: format!("{}: {title}", target.replace('-', " ")),
            x_label: x.into(),
            y_label: y.into(),
            limit: None,
            x_names: Vec::new(),
            lines: lines.collect(),
        };
        let top = SIZE.1 * number as u32;
        let panel = draw_chart(&chart).with_context(|| format!("figure {name}, panel {target}"))?;
        svg.push_str(&panel.replacen("<svg ", &format!("<svg y=\"{top}\" "), 1));
    }
    Ok(SvgFigure {
        name: name.into(),
        title: title.into(),
        svg: svg + "</svg>\n",
    })
}

/// Returns the points of a line with their bands. Points that were not measured are left out.
fn banded_points(table: &MeasuredTable, x: &str, y: &str) -> Vec<ChartPoint> {
    let column = |name: &str| -> Vec<Option<f64>> {
        let values = table.column(name).map(Iterator::collect);
        values.unwrap_or_else(|| vec![None; table.points.len()])
    };
    let [xs, ys] = [x, y].map(column);
    let [lows, highs] = ["low", "high"].map(|end| column(&format!("{y}-{end}")));
    let point = |at: usize| {
        Some(ChartPoint {
            x: xs[at]?,
            y: ys[at]?,
            low: lows[at]?,
            high: highs[at]?,
        })
    };
    (0..table.points.len()).filter_map(point).collect()
}

/// Returns the points of a line up to `end`, in ascending order of x. It has no band.
fn points_of(table: &MeasuredTable, x: &str, y: &str, end: f64) -> Vec<ChartPoint> {
    let (Some(xs), Some(ys)) = (table.column(x), table.column(y)) else {
        return Vec::new();
    };
    let mut points: Vec<ChartPoint> = xs
        .zip(ys)
        .filter_map(|(x, y)| {
            let (x, y) = (x?, y?);
            Some(ChartPoint {
                x,
                y,
                low: y,
                high: y,
            })
        })
        .filter(|point| point.x <= end)
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

#[cfg(test)]
mod tests {
    use super::fill_template;
    use forage_experiment::MeasuredTables;

    fn fill(template: &str) -> anyhow::Result<(String, Vec<String>)> {
        let mut tables = MeasuredTables::default();
        let line = br#"{"experiment":"e","target":"eng","setting":"dice","columns":["x","F"],"points":[[0.1,0.3],[0.2,0.5]]}"#;
        tables.add_line(line).unwrap();
        let (page, figures) = fill_template(template, &tables, "\nthe findings\n", |name| {
            format!("folder/{name}.svg")
        })?;
        Ok((
            page,
            figures.into_iter().map(|figure| figure.name).collect(),
        ))
    }

    #[test]
    fn directives_are_replaced() {
        let (page, figures) =
            fill("# A\n@table e eng | best F: F | at x: x F=max\n@figure f e eng x F: F by x\n@findings\n")
                .unwrap();
        let expected = "\
# A
| setting | best F | at x |
|---|--:|--:|
| `dice` | 0.500 | 0.200 |
![F by x](folder/f.svg)
the findings
";
        assert_eq!(page, expected);
        assert_eq!(figures, ["f"]);
    }

    #[test]
    fn panels_have_a_chart_for_each_target_with_bands() {
        let mut tables = MeasuredTables::default();
        for target in ["eng", "jpn"] {
            let line = format!(
                r#"{{"experiment":"e","target":"{target}","setting":"dice","columns":["x","F","F-low","F-high"],"points":[[0.1,0.3,0.2,0.4],[0.2,0.5,0.4,0.6]]}}"#
            );
            tables.add_line(line.as_bytes()).unwrap();
        }
        let draw = |line: &str| fill_template(line, &tables, "", str::to_owned);
        let (page, figures) = draw("@panels p e eng,jpn x F: F by x\n").unwrap();
        assert_eq!(page, "![F by x](p)\n");
        let svg = &figures[0].svg;
        assert_eq!(svg.matches("<svg ").count(), 3, "{svg}");
        assert!(
            svg.contains("eng: F by x") && svg.contains("jpn: F by x"),
            "{svg}"
        );
        let error = format!("{:#}", draw("@panels p e eng x G: F").unwrap_err());
        assert!(error.contains("panel eng"), "{error}");
    }

    #[test]
    fn an_experiment_without_results_was_not_measured() {
        let (page, _) = fill("@table e jpn | F: F\n").unwrap();
        assert_eq!(page, "*Not measured.*\n");
    }

    #[test]
    fn malformed_directives_are_refused_with_their_line() {
        let error_of = |line: &str| format!("{:#}", fill(&format!("# A\n{line}\n")).unwrap_err());
        assert!(error_of("@tables").starts_with("line 2: `@tables` is not a directive"));
        assert!(error_of("@table e").contains("an experiment and a target"));
        assert!(error_of("@table e eng | F").contains("`F` is not a heading and a value"));
        assert!(error_of("@figure f e eng x: A").contains("two columns"));
        assert!(error_of("@figure f e eng x<=much F: A").contains("`much` is not a number"));
        assert!(error_of("@figure f e eng x<=0.1 F: A").contains("no line has two points"));
        assert!(error_of("@figure f e eng x G: A").contains("no line has two points"));
    }
}
