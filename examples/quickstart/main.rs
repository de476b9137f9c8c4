//! A photograph through an array pipeline: standardize, blur, sharpen, equalize, quantize, measure.
//!
//!     cargo run --release --example quickstart [-- --device NAME] [--image FILE]
//!
//! Pictures and an `.npz` of the arrays go to `target/quickstart/`. The array code is in `filters`; it
//! runs unchanged on every device.

mod filters;
mod photo;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ndany::prelude::*;
use support::{Cost, Outcome, timed};

const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/coffee.png");
const COLOURS: usize = 8;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("quickstart: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The steps so far, printed as they end.
struct Steps {
    device: Device,
    total: Cost,
}

impl Steps {
    fn run<T>(&mut self, name: &str, step: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let (value, cost) = timed(&self.device, step)?;
        println!("  {name:<12}{cost}");
        self.total += cost;
        Ok(value)
    }

    /// A step that describes an array, run to its end.
    fn array(&mut self, name: &str, step: impl FnOnce() -> Array) -> Outcome<Array> {
        self.run(name, || {
            let array = step();
            array.eval()?;
            Ok(array)
        })
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let image = support::option(&mut arguments, "--image")?;
    support::expect_no_more(&arguments, "quickstart [--device NAME] [--image FILE]")?;
    let image = image.map_or_else(|| PathBuf::from(PHOTOGRAPH), PathBuf::from);
    let _guard = device.enter();
    println!("device {device}: {}", device.description());

    let mut steps = Steps { device: device.clone(), total: Cost::default() };
    let photo = steps.run("read", || {
        let photo = photo::read(&image)?;
        photo.eval()?;
        Ok(photo)
    })?;
    let standardized = steps.array("standardize", || filters::standardize(&photo))?;
    let blurred = steps.array("blur", || filters::blur(&photo))?;
    let sharpened = steps.array("sharpen", || filters::sharpen(&photo, &blurred))?;
    let equalized = steps.array("equalize", || filters::equalize(&photo))?;
    let (quantized, palette) =
        steps.run("quantize", || Ok(filters::quantize(&photo, COLOURS, 20)?))?;
    let statistics = steps.array("statistics", || filters::statistics(&photo))?;
    let histogram = steps.array("histogram", || filters::histogram(&photo))?;

    let folder = Path::new("target/quickstart");
    std::fs::create_dir_all(folder)?;
    let visible = &standardized * 0.2 + 0.5;
    steps.run("write", || {
        photo::write(&folder.join("blurred.png"), &blurred)?;
        photo::write(&folder.join("sharpened.png"), &sharpened)?;
        photo::write(&folder.join("equalized.png"), &equalized)?;
        photo::write(&folder.join("quantized.png"), &quantized)?;
        let panels = [&photo, &visible, &blurred, &sharpened, &equalized, &quantized];
        photo::write(&folder.join("contact.png"), &filters::contact_sheet(&panels)?)?;
        let arrays = [
            ("standardized", &standardized),
            ("blurred", &photo::to_bytes(&blurred)),
            ("equalized", &photo::to_bytes(&equalized)),
            ("quantized", &photo::to_bytes(&quantized)),
            ("palette", &palette),
            ("histogram", &histogram),
            ("statistics", &statistics),
        ];
        io::save_npz(folder.join("arrays.npz"), &arrays, Compression::Deflated)?;
        Ok(())
    })?;
    println!("  {:<12}{}", "together", steps.total);
    println!("fusion saved {} passes over memory\n", steps.total.statistics.saved());

    println!("red, green and blue: mean, deviation, smallest, largest, skewness");
    println!("{:.3}\n", statistics.transpose(..));
    println!("the {COLOURS} colours\n{}\n", photo::to_bytes(&palette));
    println!("pictures and arrays.npz are in {}", folder.display());
    Ok(())
}
