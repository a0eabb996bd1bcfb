//! The figures of a report: relevant documents by cost, a line per setting; and probabilities of
//! the values of a learner's parameter by steps, a line per value.

use forage_experiment::chart::{Chart, ChartLine, ChartPoint, LimitLine, MAX_LINES, draw_chart};
use forage_experiment::{
    CostAxis, ExperimentResults, MeanOverRuns, MeasuredRun, mean_preferences,
    relevant_documents_curve,
};
use std::collections::BTreeSet;

/// A figure: the relevant documents of targets along a cost axis.
pub(crate) struct Figure {
    /// Name of the file, without its extension.
    pub name: String,
    pub axis: CostAxis,
    /// The end of the axis.
    pub end: u64,
    /// The targets; a line is a mean over them.
    pub targets: Vec<String>,
    /// The settings that have a line, in order; at most [`MAX_LINES`].
    pub settings: Vec<String>,
}

/// A figure: the probabilities of the values of a parameter of a learner, by steps. A line is a
/// value; if there are more than [`MAX_LINES`], those most probable at the end have one.
pub(crate) struct ProbabilityFigure {
    /// Name of the file, without its extension.
    pub name: String,
    /// The targets; a line is a mean over them.
    pub targets: Vec<String>,
    /// The learner.
    pub setting: String,
    pub parameter: String,
    /// The last number of steps.
    pub end: u64,
}

/// A figure that was drawn.
#[derive(Debug)]
pub(crate) struct SvgFigure {
    /// Name of the file, without its extension.
    pub name: String,
    /// The title.
    pub title: String,
    /// The content of the file.
    pub svg: String,
}

/// Draws a figure.
pub(crate) fn draw_figure(
    results: &ExperimentResults,
    figure: &Figure,
) -> anyhow::Result<SvgFigure> {
    let title = figure_title(results, &figure.targets, &figure.settings);
    let svg = draw_chart(&Chart {
        title: title.clone(),
        x_label: figure.axis.label().into(),
        y_label: "relevant documents found".into(),
        limit: limit_line(results, figure),
        x_names: Vec::new(),
        lines: figure
            .settings
            .iter()
            .map(|setting| ChartLine {
                name: setting.clone(),
                points: setting_points(results, figure, setting),
            })
            .collect(),
    })?;
    Ok(SvgFigure {
        name: figure.name.clone(),
        title,
        svg,
    })
}

/// Returns `true` if a setting has a run for each of the targets.
pub(crate) fn is_measured(results: &ExperimentResults, setting: &str, targets: &[String]) -> bool {
    targets.iter().all(|target| {
        let target = std::slice::from_ref(target);
        results.runs_of(setting, target).next().is_some()
    })
}

/// Returns the points of the line of a setting, with the range over seeds as its band. A line has
/// no points if the setting was not measured, or if a run did not reach the first checkpoint.
pub(crate) fn setting_points(
    results: &ExperimentResults,
    figure: &Figure,
    setting: &str,
) -> Vec<ChartPoint> {
    let Figure {
        axis, end, targets, ..
    } = figure;
    let curve = relevant_documents_curve(results, setting, *axis, *end, targets);
    if curve.len() < 2 || !is_measured(results, setting, targets) {
        return Vec::new();
    }
    curve.into_iter().map(chart_point).collect()
}

/// Draws a figure of probabilities. Returns `None` if no run has the parameter.
pub(crate) fn draw_probabilities(
    results: &ExperimentResults,
    figure: &ProbabilityFigure,
) -> anyhow::Result<Option<SvgFigure>> {
    let ProbabilityFigure {
        setting, parameter, ..
    } = figure;
    let preferences_after =
        |steps| mean_preferences(results, setting, &figure.targets, parameter, steps);
    let recorded: BTreeSet<u64> = results
        .runs_of(setting, &figure.targets)
        .flat_map(|run| run.learned.values())
        .flat_map(|history| history.steps.iter().copied())
        .filter(|steps| *steps <= figure.end)
        .collect();
    let at_end = preferences_after(figure.end);
    if at_end.is_empty() || recorded.len() < 2 {
        return Ok(None);
    }
    let history: Vec<_> = recorded
        .into_iter()
        .map(|steps| (steps, preferences_after(steps)))
        .collect();
    let line_of = |value: &String| ChartLine {
        name: value.clone(),
        points: history
            .iter()
            .filter_map(|(steps, preferences)| {
                let (_, mean) = preferences.iter().find(|(other, _)| other == value)?;
                Some(chart_point((*steps as f64, *mean)))
            })
            .collect(),
    };
    let title = figure_title(results, &figure.targets, std::slice::from_ref(setting));
    let title = format!("{setting}, {title}");
    let svg = draw_chart(&Chart {
        title: title.clone(),
        x_label: "steps".into(),
        y_label: format!("probability ({parameter})"),
        limit: None,
        x_names: Vec::new(),
        lines: at_end
            .iter()
            .take(MAX_LINES)
            .map(|(value, _)| line_of(value))
            .collect(),
    })?;
    Ok(Some(SvgFigure {
        name: figure.name.clone(),
        title,
        svg,
    }))
}

fn chart_point((x, mean): (f64, MeanOverRuns)) -> ChartPoint {
    ChartPoint {
        x,
        y: mean.mean,
        low: mean.low,
        high: mean.high,
    }
}

/// Returns the title of a figure: the targets and the meaning of the bands.
fn figure_title(results: &ExperimentResults, targets: &[String], settings: &[String]) -> String {
    let seeds: BTreeSet<u64> = runs_of_targets(results, targets)
        .filter(|run| settings.contains(&run.setting))
        .map(|run| run.seed)
        .collect();
    let band = if seeds.len() > 1 {
        format!("; band: range of {} seeds", seeds.len())
    } else {
        String::new()
    };
    format!("{}{band}", targets.join(", "))
}

/// Returns the line of the highest possible numbers: all documents retrieved, or the mean number of
/// documents that the targets have.
fn limit_line(results: &ExperimentResults, figure: &Figure) -> Option<LimitLine> {
    if figure.axis == CostAxis::Documents {
        return Some(LimitLine {
            name: "all relevant".into(),
            slope: 1.0,
            intercept: 0.0,
        });
    }
    let existing: Option<Vec<u64>> = figure
        .targets
        .iter()
        .map(|target| {
            runs_of_targets(results, std::slice::from_ref(target))
                .filter(|run| figure.settings.contains(&run.setting))
                .find_map(|run| run.reachable)
        })
        .collect();
    let existing = existing.filter(|numbers| !numbers.is_empty())?;
    Some(LimitLine {
        name: "all of the target".into(),
        slope: 0.0,
        intercept: existing.iter().sum::<u64>() as f64 / existing.len() as f64,
    })
}

fn runs_of_targets<'a>(
    results: &'a ExperimentResults,
    targets: &'a [String],
) -> impl Iterator<Item = &'a MeasuredRun> {
    results
        .runs()
        .iter()
        .filter(|run| targets.contains(&run.target))
}

/// Returns at most [`MAX_LINES`] of the settings of a figure: the best setting of each family, then
/// the best of the others. The best are those with the most relevant documents at the end of their
/// line.
pub(crate) fn select_settings(results: &ExperimentResults, figure: &Figure) -> Vec<String> {
    let relevant_at_end = |setting: &String| {
        let points = setting_points(results, figure, setting);
        points.last().map(|point| point.y)
    };
    let mut settings: Vec<(f64, &String)> = figure
        .settings
        .iter()
        .filter_map(|setting| Some((relevant_at_end(setting)?, setting)))
        .collect();
    settings.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen_families = BTreeSet::new();
    let (best_of_families, others): (Vec<_>, Vec<_>) = settings
        .into_iter()
        .map(|(_, setting)| setting)
        .partition(|setting| seen_families.insert(setting_family(setting)));
    best_of_families
        .into_iter()
        .chain(others)
        .take(MAX_LINES)
        .cloned()
        .collect()
}

/// Returns the family of a setting: the part of its name before `:` or `/`.
fn setting_family(setting: &str) -> &str {
    setting.split([':', '/']).next().unwrap_or(setting)
}
