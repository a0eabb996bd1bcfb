//! A graph of nodes and arcs.

use super::{Bar, Drawing, Unit, WIDTH, shorten, width_of};
use crate::report::html::escape;
use std::fmt::Write;

/// Draws a graph: nodes below each other, and the edges as arcs at their right.
pub(crate) fn arcs(title: &str, nodes: &[Bar], edges: &[(usize, usize, f64)]) -> String {
    let spacing = 22.0;
    let label = |node: &Bar| shorten(&node.label, 26);
    let x = width_of(nodes.iter().map(label)) + 20.0;
    let mut drawing = Drawing::new(nodes.len() as f64 * spacing + 4.0, title);
    let y_of = |node: usize| node as f64 * spacing + 12.0;
    let heaviest = edges.iter().fold(1.0, |max: f64, edge| max.max(edge.2));
    let room = (WIDTH - x - 10.0) * 2.0 / (nodes.len().max(2) as f64 * spacing);
    for &(from, to, weight) in edges {
        let (a, b) = (y_of(from.min(to)), y_of(from.max(to)));
        let (radius, width) = ((b - a) / 2.0, 0.5 + 4.0 * libm::sqrt(weight / heaviest));
        let told = format!(
            "{} – {}: {}",
            nodes.get(from).map_or("", |n| &n.label),
            nodes.get(to).map_or("", |n| &n.label),
            Unit::Count.format(weight)
        );
        let _ = write!(
            drawing.svg,
            "<path d=\"M{x:.1} {a:.1}A{:.1} {radius:.1} 0 0 1 {x:.1} {b:.1}\" stroke-width={width:.1} class=arc><title>{}</title></path>",
            radius * room.min(1.6),
            escape(&told)
        );
    }
    let largest = nodes.iter().fold(1.0, |max: f64, node| max.max(node.value));
    for (number, node) in nodes.iter().enumerate() {
        drawing.text(x - 12.0, y_of(number) + 4.0, "label end", &label(node));
        let radius = 2.0 + 5.0 * libm::sqrt(node.value / largest);
        let _ = write!(
            drawing.svg,
            "<circle cx={x:.1} cy={:.1} r={radius:.1} class=s1><title>{}: {}</title></circle>",
            y_of(number),
            escape(&node.label),
            escape(&node.shown)
        );
    }
    drawing.finish()
}
