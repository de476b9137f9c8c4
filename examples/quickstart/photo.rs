//! Photographs between PNG files and arrays of shape (height, width, 3).

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use ndany::prelude::*;

use crate::support::{Outcome, failure};

/// The colours of an 8-bit RGB file, as floats from 0 to 1.
pub fn read(path: &Path) -> Outcome<Array> {
    let file = File::open(path).map_err(|error| {
        let path = path.display();
        failure(format!("the photograph {path} does not open: {error}; --image FILE takes another"))
    })?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info()?;
    let size = reader.output_buffer_size().ok_or_else(|| failure("the photograph is too large"))?;
    let mut bytes = vec![0u8; size];
    let frame = reader.next_frame(&mut bytes)?;
    if frame.color_type != png::ColorType::Rgb {
        return Err(failure(format!("expected an RGB photograph, got {:?}", frame.color_type)));
    }
    let shape = (frame.height as usize, frame.width as usize, 3);
    // The 8-bit values travel to the device; they become floats there.
    let photo = Array::try_from_slice(&bytes[..frame.buffer_size()], shape)?;
    Ok(photo.astype(DType::F32) / 255.0)
}

/// Colours as 8-bit values. The conversion saturates, so nothing needs to be clipped before.
pub fn to_bytes(photo: &Array) -> Array {
    (photo * 255.0).rint().astype(DType::U8)
}

/// Writes colours from 0 to 1.
pub fn write(path: &Path, photo: &Array) -> Outcome {
    let bytes = to_bytes(photo).to_vec::<u8>()?;
    let &[height, width, 3] = photo.shape() else {
        return Err(failure(format!("expected a photograph, got shape {:?}", photo.shape())));
    };
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, width.try_into()?, height.try_into()?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}
