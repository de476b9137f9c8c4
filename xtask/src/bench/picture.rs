//! The ratios of a bench as a picture: a bar each, from 1 to the right where ndany is faster, to the left
//! where it is slower, on a logarithmic scale.

use std::fmt::Write;

use super::{Row, geometric_mean};

const BAR: f64 = 20.0;
const LEFT: f64 = 230.0;
const WIDTH: f64 = 560.0;
const RIGHT: f64 = 170.0;

/// An SVG document.
pub(super) fn draw(rows: &[Row], device: &str, peer: &str) -> String {
    let rows: Vec<(&Row, f64)> = rows.iter().filter_map(|row| Some((row, row.ratio()?))).collect();
    let logs = || rows.iter().map(|(_, ratio)| ratio.log2());
    let low = logs().fold(-1.0, f64::min).floor();
    let high = logs().fold(1.0, f64::max).ceil();
    let x = |ratio: f64| LEFT + (ratio.log2() - low) / (high - low) * WIDTH;
    let height = 70.0 + BAR * rows.len() as f64 + 30.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"17\">ndany ({device}) against {peer}: how many times faster</text>\n\
         <text x=\"16\" y=\"46\" fill=\"#666\">geometric mean {:.2}; to the right of each bar the time and the \
         part of a copy's bandwidth</text>\n",
        LEFT + WIDTH + RIGHT,
        geometric_mean(&rows.iter().map(|(row, _)| (*row).clone()).collect::<Vec<_>>()),
    );
    let bottom = 62.0 + BAR * rows.len() as f64;
    for power in low as i32..=high as i32 {
        let at = x(f64::from(power).exp2());
        let stroke = if power == 0 { "#444" } else { "#ddd" };
        let label =
            if power < 0 { format!("1/{}", 1 << -power) } else { format!("{}", 1 << power) };
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"58\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"{stroke}\"/>\n\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">{label}</text>\n",
            bottom + 16.0
        );
    }
    for (position, (row, ratio)) in rows.iter().enumerate() {
        let top = 62.0 + BAR * position as f64;
        let (one, end) = (x(1.0), x(*ratio));
        let colour = if *ratio >= 1.0 { "#3a7d5d" } else { "#c0583f" };
        let bandwidth =
            row.bandwidth.map_or(String::new(), |part| format!(", {:.0} %", part * 100.0));
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n\
             <rect x=\"{:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/>\n\
             <text x=\"{:.1}\" y=\"{}\" fill=\"#333\">{ratio:.2} ({:.4} ms{bandwidth})</text>\n",
            LEFT - 8.0,
            top + 13.0,
            row.name,
            one.min(end),
            top + 3.0,
            (end - one).abs(),
            BAR - 6.0,
            one.max(end) + 6.0,
            top + 13.0,
            row.ours,
        );
    }
    svg.push_str("</svg>\n");
    svg
}
