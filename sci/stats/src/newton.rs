//! Newton's step on the host: of a handful of parameters, by differences of values that a device computed.

/// The slope and the curvature by differences of the fourth order, and of the second order between two parameters.
#[expect(clippy::needless_range_loop, reason = "both halves of a symmetric matrix are written")]
pub(crate) fn differences(losses: &[f64], k: usize, width: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let at = |i: usize, number: usize| losses[1 + 4 * i + number];
    let slope = (0..k)
        .map(|i| (8.0 * (at(i, 0) - at(i, 1)) - (at(i, 2) - at(i, 3))) / (12.0 * width))
        .collect();
    let mut curvature = vec![vec![0.0; k]; k];
    let square = width * width;
    let mut pair = 1 + 4 * k;
    for i in 0..k {
        let near = 16.0 * (at(i, 0) + at(i, 1));
        curvature[i][i] = (near - (at(i, 2) + at(i, 3)) - 30.0 * losses[0]) / (12.0 * square);
        for j in 0..i {
            let corners = losses[pair] + losses[pair + 1];
            let sides = at(i, 0) + at(i, 1) + at(j, 0) + at(j, 1);
            let mixed = (corners - sides + 2.0 * losses[0]) / (2.0 * square);
            (curvature[i][j], curvature[j][i]) = (mixed, mixed);
            pair += 2;
        }
    }
    (slope, curvature)
}

/// Newton's step, of a curvature that is raised until it is positive definite; and whether it was.
pub(crate) fn newton(slope: &[f64], curvature: &[Vec<f64>]) -> (Vec<f64>, bool) {
    let largest = curvature.iter().flatten().fold(1e-8f64, |largest, c| largest.max(c.abs()));
    let mut raised = 0.0;
    for _ in 0..40 {
        if let Some(step) = solved(slope, curvature, raised) {
            return (step, raised == 0.0);
        }
        raised = if raised == 0.0 { 1e-6 * largest } else { 4.0 * raised };
    }
    (slope.iter().map(|slope| -slope).collect(), false)
}

/// The solution of (C + raised) step = −slope by Cholesky's factor, if there is one.
fn solved(slope: &[f64], curvature: &[Vec<f64>], raised: f64) -> Option<Vec<f64>> {
    let k = slope.len();
    let mut factor = vec![vec![0.0; k]; k];
    for i in 0..k {
        for j in 0..=i {
            let known: f64 = (0..j).map(|n| factor[i][n] * factor[j][n]).sum();
            let rest = curvature[i][j] - known + if i == j { raised } else { 0.0 };
            if i == j {
                if rest <= 1e-10 * curvature[i][i].abs() || rest <= 0.0 {
                    return None;
                }
                factor[i][i] = rest.sqrt();
            } else {
                factor[i][j] = rest / factor[j][j];
            }
        }
    }
    let mut step: Vec<f64> = slope.iter().map(|slope| -slope).collect();
    for i in 0..k {
        let known: f64 = (0..i).map(|n| factor[i][n] * step[n]).sum();
        step[i] = (step[i] - known) / factor[i][i];
    }
    for i in (0..k).rev() {
        let known: f64 = (i + 1..k).map(|n| factor[n][i] * step[n]).sum();
        step[i] = (step[i] - known) / factor[i][i];
    }
    Some(step)
}
