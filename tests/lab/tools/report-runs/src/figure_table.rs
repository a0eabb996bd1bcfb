//! The table of figures: each is drawn if its settings were run, and becomes a part of a section.
//!
//! Figures are a table with tab-separated columns; a line that starts with `#` is a heading:
//!
//! ```text
//! figure      caption                 x-axis          y-axis          targets  settings
//! # Figure 7: learners
//! learners    The learners of ...     documents=1000  relevant        slv      ml,lta,ltm,fm
//! preference  How LTA comes to ...    steps=1000      include-method  slv,tgl  lta
//! ```

use crate::figure::{
    Figure, ProbabilityFigure, SvgFigure, draw_figure, draw_probabilities, is_measured,
    setting_points,
};
use forage_experiment::ExperimentResults;
use forage_experiment::chart::MAX_LINES;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The names of the columns.
const COLUMNS: [&str; 6] = [
    "figure", "caption", "x-axis", "y-axis", "targets", "settings",
];

/// The y-axis of figures of relevant documents.
const RELEVANT: &str = "relevant";
/// The x-axis of figures of probabilities.
const STEPS: &str = "steps";

/// A line of the table.
struct TableFigure {
    caption: String,
    content: FigureContent,
}

/// What a figure shows.
enum FigureContent {
    Relevant(Figure),
    Probabilities(ProbabilityFigure),
}

/// Draws the figures of a table. Returns their section of the report in Markdown without its
/// heading, and the figures. `path_of` returns the path of a figure by name.
///
/// # Errors
/// Fails if the first line does not name the columns, if a line is neither a figure nor a heading,
/// or if a figure cannot be drawn. The message starts with the line number.
pub(crate) fn draw_figure_table(
    table: &str,
    results: &ExperimentResults,
    path_of: impl Fn(&str) -> String,
) -> Result<(String, Vec<SvgFigure>), String> {
    let mut text = String::new();
    let mut figures = Vec::new();
    let mut names = BTreeSet::new();
    for (index, line) in table.lines().enumerate() {
        let in_line = |reason: String| format!("line {}: {reason}", index + 1);
        if index == 0 {
            if line.split('\t').ne(COLUMNS) {
                let columns = COLUMNS.join(", ");
                return Err(in_line(format!("must name the columns: {columns}")));
            }
        } else if let Some(heading) = line.strip_prefix('#') {
            let _ = writeln!(text, "\n### {}", heading.trim());
        } else if !line.trim().is_empty() {
            let figure = TableFigure::parse(line).map_err(in_line)?;
            let name = figure.content.name();
            if !names.insert(name.to_owned()) {
                return Err(in_line(format!("a second figure {name}")));
            }
            let drawn = figure.content.draw(results);
            let drawn = drawn.map_err(|e| in_line(e.to_string()))?;
            let path = drawn.as_ref().map(|_| path_of(name));
            text.push_str(&figure.format(results, path));
            figures.extend(drawn);
        }
    }
    Ok((text, figures))
}

impl TableFigure {
    /// Parses a line of the table.
    fn parse(line: &str) -> Result<TableFigure, String> {
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [name, caption, x_axis, y_axis, targets, settings] = cells[..] else {
            return Err(format!(
                "has {} columns; {} are expected: {}",
                cells.len(),
                COLUMNS.len(),
                COLUMNS.join(", ")
            ));
        };
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if name.is_empty() || !name.chars().all(is_allowed) {
            return Err(format!(
                "`{name}` is not a name of a figure: letters, digits and hyphens"
            ));
        }
        let list = |text: &str| -> Vec<String> { text.split(',').map(str::to_owned).collect() };
        let content = FigureContent::parse(name, x_axis, y_axis, list(targets), list(settings))?;
        Ok(TableFigure {
            caption: caption.to_owned(),
            content,
        })
    }

    /// Returns the figure in Markdown: the image, if there is one, and the caption, which names
    /// what the image lacks.
    fn format(&self, results: &ExperimentResults, path: Option<String>) -> String {
        let caption = &self.caption;
        match path {
            Some(path) => {
                let lacks = self.content.describe_missing_lines(results);
                let text = escape_image_text(caption);
                format!("\n![{text}]({path})\n\n{caption}{lacks}\n")
            }
            None => format!("\n{caption} *Not measured.*\n"),
        }
    }
}

/// Escapes the characters that have a meaning in the text of an image in Markdown.
fn escape_image_text(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if "[]\\".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

impl FigureContent {
    fn parse(
        name: &str,
        x_axis: &str,
        y_axis: &str,
        targets: Vec<String>,
        settings: Vec<String>,
    ) -> Result<FigureContent, String> {
        let malformed = || format!("`{x_axis}` is not an x-axis such as documents=1000");
        let (axis, end) = x_axis.split_once('=').ok_or_else(malformed)?;
        let end = end
            .parse()
            .ok()
            .filter(|end| *end > 0)
            .ok_or_else(malformed)?;
        let name = name.to_owned();
        if y_axis == RELEVANT {
            if settings.len() > MAX_LINES {
                let number = settings.len();
                return Err(format!(
                    "{number} settings, but at most {MAX_LINES} have a line"
                ));
            }
            return Ok(FigureContent::Relevant(Figure {
                name,
                axis: axis.parse()?,
                end,
                targets,
                settings,
            }));
        }
        match <[String; 1]>::try_from(settings) {
            Ok([setting]) if axis == STEPS => Ok(FigureContent::Probabilities(ProbabilityFigure {
                name,
                targets,
                setting,
                parameter: y_axis.to_owned(),
                end,
            })),
            _ => Err(format!(
                "`{y_axis}`: the y-axis is {RELEVANT}; or a parameter of one learner, such as \
                 include-method, with the x-axis {STEPS}=N"
            )),
        }
    }

    fn name(&self) -> &str {
        match self {
            FigureContent::Relevant(figure) => &figure.name,
            FigureContent::Probabilities(figure) => &figure.name,
        }
    }

    /// Draws the figure. Returns `None` if nothing that it shows was measured.
    fn draw(&self, results: &ExperimentResults) -> anyhow::Result<Option<SvgFigure>> {
        match self {
            FigureContent::Relevant(figure) => {
                let has_line = |setting| !setting_points(results, figure, setting).is_empty();
                if !figure.settings.iter().any(|setting| has_line(setting)) {
                    return Ok(None);
                }
                // A setting keeps its style whether the others have a line or not.
                draw_figure(results, figure).map(Some)
            }
            FigureContent::Probabilities(figure) => draw_probabilities(results, figure),
        }
    }

    /// Describes the lines that a figure lacks, in sentences after its caption.
    fn describe_missing_lines(&self, results: &ExperimentResults) -> String {
        let FigureContent::Relevant(figure) = self else {
            return String::new();
        };
        let without_line = figure
            .settings
            .iter()
            .filter(|setting| setting_points(results, figure, setting).is_empty());
        let (too_short, unmeasured): (Vec<_>, Vec<_>) =
            without_line.partition(|setting| is_measured(results, setting, &figure.targets));
        let sentence = |reason: &str, settings: Vec<&String>| {
            let names: Vec<String> = settings.iter().map(|name| format!("`{name}`")).collect();
            if names.is_empty() {
                String::new()
            } else {
                format!(" {reason}: {}.", names.join(", "))
            }
        };
        sentence("Not measured", unmeasured)
            + &sentence("No line, because a run ended too early", too_short)
    }
}

#[cfg(test)]
mod tests {
    use super::{draw_figure_table, escape_image_text};
    use forage_experiment::ExperimentResults;

    /// Returns the results of `a` and `ltm` for slv with two seeds, and of `short`, which ended
    /// after five documents.
    fn results() -> ExperimentResults {
        let columns = r#"["steps","documents","queries","empty","calls","relevant","true","both"]"#;
        let learned = r#"{"ltm":{"steps":[1,2],"thousandths":{"include-method":
            {"or":[500,900],"tf":[500,100]}}}}"#;
        let mut results = ExperimentResults::default();
        for (setting, documents) in [("a", 100), ("ltm", 80), ("short", 5)] {
            for seed in 1..=2 {
                let line = format!(
                    r#"{{"setting":"{setting}","target":"slv","seed":{seed},"limits":{{"steps":9}},
                    "columns":{columns},"learned":{},
                    "points":[[9,{documents},9,0,9,{seed},0,0]]}}"#,
                    if setting == "ltm" { learned } else { "{}" }
                );
                results.add_line(line.as_bytes()).unwrap();
            }
        }
        results
    }

    fn draw(lines: &str) -> Result<(String, Vec<String>), String> {
        let table = format!("figure\tcaption\tx-axis\ty-axis\ttargets\tsettings\n{lines}\n");
        let path_of = |name: &str| format!("f/{name}.svg");
        let (text, figures) = draw_figure_table(&table, &results(), path_of)?;
        Ok((text, figures.into_iter().map(|figure| figure.svg).collect()))
    }

    #[test]
    fn brackets_do_not_end_the_text_of_an_image() {
        assert_eq!(escape_image_text(r"a [b](c) \"), r"a \[b\](c) \\");
    }

    #[test]
    fn a_figure_has_the_settings_of_its_line_and_names_those_that_it_lacks() {
        let (text, figures) = draw(
            "# One\nb\tBoth.\tdocuments=50\trelevant\tslv\tltm,none,a,short\n\
             c\tNone.\tdocuments=50\trelevant\tslv,tgl\ta",
        )
        .unwrap();
        let expected = "
### One

![Both.](f/b.svg)

Both. Not measured: `none`. No line, because a run ended too early: `short`.

None. *Not measured.*
";
        assert_eq!(text, expected);
        assert_eq!(figures.len(), 1);
        let [ltm, a] = ["\nltm\n", "\na\n"].map(|name| figures[0].find(name));
        assert!(ltm.is_some() && ltm < a, "{}", figures[0]);
        assert!(figures[0].contains("slv; band: range of 2 seeds"));
    }

    #[test]
    fn a_figure_of_probabilities_has_a_line_for_each_value() {
        let (text, figures) = draw("p\tLearned.\tsteps=9\tinclude-method\tslv\tltm").unwrap();
        assert_eq!(text, "\n![Learned.](f/p.svg)\n\nLearned.\n");
        assert!(figures[0].contains("\nor\n") && figures[0].contains("\ntf\n"));
        let (text, figures) = draw("p\tLearned.\tsteps=9\tinclude-method\tslv\ta").unwrap();
        assert_eq!(text, "\nLearned. *Not measured.*\n");
        assert!(figures.is_empty());
    }

    #[test]
    fn malformed_lines_are_refused_with_their_number() {
        let error_of = |line: &str| draw(line).unwrap_err();
        let error = error_of("b\tB\tdocuments=5");
        assert!(error.starts_with("line 2: has 3 columns; 6 are expected: figure, caption"));
        for (line, message) in [
            ("../b\tB\tdocuments=5\trelevant\tslv\ta", "letters, digits"),
            ("b\tB\tdocuments\trelevant\tslv\ta", "documents=1000"),
            ("b\tB\tdocuments=0\trelevant\tslv\ta", "documents=1000"),
            ("b\tB\tpages=5\trelevant\tslv\ta", "expected documents"),
            ("b\tB\tdocuments=5\trecall\tslv\ta", "`recall`: the y-axis"),
            ("b\tB\tsteps=5\tinclude-method\tslv\ta,b", "one learner"),
            (
                "b\tB\tcalls=5\trelevant\tslv\t1,2,3,4,5,6,7,8,9",
                "9 settings",
            ),
        ] {
            let error = error_of(line);
            assert!(
                error.starts_with("line 2: ") && error.contains(message),
                "{error}"
            );
        }
        let line = "b\tB\tdocuments=5\trelevant\tslv\tx";
        assert!(error_of(&format!("{line}\n{line}")).starts_with("line 3: a second figure b"));
        let refused = draw_figure_table("figure\tcaption\n", &results(), str::to_owned);
        assert!(refused.is_err_and(|error| error.starts_with("line 1: must name the columns")));
    }
}
