//! Times per element over sizes as an SVG document, both axes logarithmic.

use std::fmt::Write;

use crate::Curve;

/// Where the axes lie in the document.
const LEFT: f64 = 70.0;
const TOP: f64 = 50.0;
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
/// Room for names to the right of the axes.
const RIGHT: f64 = 130.0;
const BOTTOM: f64 = 60.0;
/// Distance of names that lie close.
const LINE: f64 = 14.0;

const COLOURS: [&str; 11] = [
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
    "#bcbd22", "#17becf", "#333333",
];

/// A logarithmic axis over whole decades.
struct Axis {
    low: i32,
    high: i32,
    start: f64,
    length: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64> + Clone, start: f64, length: f64) -> Self {
        let logs = values.map(f64::log10);
        let low = logs.clone().fold(f64::INFINITY, f64::min);
        let high = logs.fold(f64::NEG_INFINITY, f64::max);
        // Without values it is one decade.
        let low = if low.is_finite() { low.floor() as i32 } else { 0 };
        let high = if high.is_finite() { high.ceil() as i32 } else { 1 };
        Self { low, high: high.max(low + 1), start, length }
    }

    fn at(&self, value: f64) -> f64 {
        let part = (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        self.start + part * self.length
    }

    /// The powers of ten on it: exponent and place.
    fn decades(&self) -> impl Iterator<Item = (i32, f64)> + '_ {
        (self.low..=self.high).map(|power| (power, self.at(10_f64.powi(power))))
    }
}

/// The document.
pub fn draw(title: &str, sizes: &[usize], curves: &[Curve]) -> String {
    let all = curves.iter().flat_map(|curve| curve.times.iter().copied().flatten());
    let x = Axis::new(sizes.iter().map(|&size| size as f64), LEFT, WIDTH);
    let y = Axis::new(all, TOP + HEIGHT, -HEIGHT);
    let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"17\">{}</text>\n",
        right + RIGHT,
        bottom + BOTTOM,
        escaped(title),
    );
    for (power, at) in x.decades() {
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\n\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">10<tspan dy=\"-5\" \
             font-size=\"9\">{power}</tspan></text>\n",
            bottom + 18.0
        );
    }
    for (power, at) in y.decades() {
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#666\">10<tspan dy=\"-5\" \
             font-size=\"9\">{power}</tspan></text>\n",
            LEFT - 8.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">elements</text>",
        LEFT + WIDTH / 2.0,
        bottom + 42.0
    );
    let mut names: Vec<(f64, &str, &str)> = Vec::new();
    for (curve, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let times = sizes.iter().zip(&curve.times);
        let points: Vec<(f64, f64)> =
            times.filter_map(|(&size, time)| Some((x.at(size as f64), y.at((*time)?)))).collect();
        let Some(&(_, end)) = points.last() else { continue };
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>",
            line.join(" ")
        );
        names.push((end, curve.name, colour));
    }
    // From the top down, so that none is written over another.
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut next = f64::NEG_INFINITY;
    for (end, name, colour) in names {
        let at = end.max(next);
        next = at + LINE;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
            right + 8.0,
            at + 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Text as it stands in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
