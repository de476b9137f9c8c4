//! The array code of the example. A photograph has shape (height, width, 3) and values from 0 to 1.
//!
//! Nothing here names a device, an element type or a loop over pixels, and nothing is read back: the
//! functions describe what is wanted, and it runs fused when a value is asked for.

use ndany::Result;
use ndany::prelude::*;

/// Every channel shifted and scaled to mean 0 and deviation 1, over all pixels.
pub fn standardize(photo: &Array) -> Array {
    (photo - photo.mean([0, 1])) / photo.std([0, 1])
}

/// Mean, standard deviation, smallest, largest and skewness of every channel: shape (5, 3).
pub fn statistics(photo: &Array) -> Array {
    let z = standardize(photo);
    let skewness = (&z * &z * &z).mean([0, 1]);
    let pixels = [0, 1];
    stack(
        &[
            &photo.mean(pixels),
            &photo.std(pixels),
            &photo.min(pixels),
            &photo.max(pixels),
            &skewness,
        ],
        0,
    )
}

/// A soft blur: the kernel 1 4 6 4 1, with its taps 1, then 2, then 4 pixels apart, along both axes.
pub fn blur(photo: &Array) -> Array {
    [1, 2, 4].iter().fold(photo.clone(), |blurred, &spacing| {
        blur_along(&blur_along(&blurred, 0, spacing), 1, spacing)
    })
}

/// The five taps are five shifted views of the padded photograph; adding them up is one pass.
fn blur_along(photo: &Array, axis: isize, spacing: usize) -> Array {
    let photo = photo.moveaxis(axis, 0isize);
    let length = photo.shape()[0];
    let padded = pad_edges(&photo, 2 * spacing);
    let tap = |position: usize| padded.i(position * spacing..position * spacing + length);
    let sum = (tap(0) + tap(4)) + (tap(1) + tap(3)) * 4.0 + tap(2) * 6.0;
    (sum / 16.0).moveaxis(0isize, axis)
}

/// The first and last item of axis 0 repeated, as `np.pad(…, mode="edge")`.
fn pad_edges(photo: &Array, width: usize) -> Array {
    let mut shape = photo.shape().to_vec();
    shape[0] = width;
    let (first, last) = (photo.i(..1), photo.i(-1..));
    concatenate(
        &[&first.broadcast_to(shape.as_slice()), photo, &last.broadcast_to(shape.as_slice())],
        0,
    )
}

/// Values moved towards zero by `threshold`, and to zero within it (Donoho 1995).
fn soft_threshold(values: &Array, threshold: f32) -> Array {
    values.sign() * (values.abs() - threshold).maximum(0.0)
}

/// More contrast where there is detail: some of the difference to the blurred photograph, added. What is
/// as small as noise is left alone.
pub fn sharpen(photo: &Array, blurred: &Array) -> Array {
    photo + soft_threshold(&(photo - blurred), 0.02) * 0.8
}

/// The luminance that Rec. 709 gives a colour: shape (height, width).
fn luminance(photo: &Array) -> Array {
    (photo * Array::from([0.2126f32, 0.7152, 0.0722])).sum(2)
}

/// Ones where an index has the value of its column: indices of shape (n,) give (n, values).
fn one_hot(indices: &Array, values: i32) -> Array {
    indices.i((.., NewAxis)).equal(arange(values)).astype(DType::F32)
}

/// The luminances 0 to 255 of all pixels as two hexadecimal digits, each one-hot.
///
/// A level's column in a table of 256 is then a product with the first digit and a selection by the
/// second, which takes 16 + 16 columns instead of 256.
fn digits_of_levels(luminance: &Array) -> (Array, Array) {
    let levels = (luminance * 255.0).rint().astype(DType::I32).ravel();
    (one_hot(&levels.floor_divide(16), 16), one_hot(&(&levels % 16), 16))
}

/// How many pixels have each of the 256 luminances: shape (16, 16), one matrix product.
pub fn histogram(photo: &Array) -> Array {
    let (high, low) = digits_of_levels(&luminance(photo));
    high.transpose(..).matmul(&low)
}

/// Histogram equalization: luminances become their ranks, and colours keep their chroma.
pub fn equalize(photo: &Array) -> Array {
    let luminance = luminance(photo);
    let (high, low) = digits_of_levels(&luminance);
    let counts = high.transpose(..).matmul(&low);
    // The share of pixels that are at most as bright, from 0 at the darkest level that occurs.
    let below = counts.cumsum(..);
    let (first, last) = (below.i(0), below.i(-1));
    let ranks = ((&below - &first) / (&last - &first)).reshape([16, 16]);
    let equalized = (high.matmul(&ranks) * &low).sum(1).reshape(luminance.shape());
    photo + (equalized - luminance).i((.., .., NewAxis))
}

/// The photograph in `colours` colours, and those colours: k-means by Lloyd's iteration.
///
/// Sums over an axis have the same bits on every device. A matrix product may add in another order, and
/// one pixel that lies between two colours would be enough for another picture.
pub fn quantize(photo: &Array, colours: usize, iterations: usize) -> Result<(Array, Array)> {
    // Shape (3, pixels): each channel by itself.
    let pixels = photo.reshape([-1, 3]).transpose(..).ascontiguousarray();
    // Start with pixels spread evenly over the photograph.
    let step = pixels.shape()[1] / colours;
    let mut palette = pixels.i(s![.., step / 2..; step as isize]).i((.., ..colours)).transpose(..);
    let mut colour = nearest(&pixels, &palette);
    for _ in 0..iterations {
        let members = colour.equal(arange(colours as i32).i((.., NewAxis)));
        let sizes = members.sum(over(1).keepdims());
        let sums = where_(members.i((.., NewAxis, ..)), &pixels, 0.0f32).sum(2);
        let moved = where_(sizes.greater(0), sums / sizes.maximum(1).astype(DType::F32), &palette);
        let shift = (&moved - &palette).abs().max(..).item::<f32>()?;
        palette = moved;
        colour = nearest(&pixels, &palette);
        if shift < 1e-3 {
            break;
        }
    }
    Ok((palette.take(&colour, 0).reshape(photo.shape()), palette))
}

/// Which colour of the palette (colours, 3) is nearest to each of the pixels (3, n). The distances of all
/// to all are one pass.
fn nearest(pixels: &Array, palette: &Array) -> Array {
    let along = |channel: isize| (pixels.i(channel) - palette.i((.., channel, NewAxis))).square();
    (along(0) + along(1) + along(2)).argmin(0)
}

/// Photographs at half their size in rows of three, on white.
pub fn contact_sheet(photos: &[&Array]) -> Result<Array> {
    const GAP: usize = 8;
    let (height, width) = (photos[0].shape()[0] / 2, photos[0].shape()[1] / 2);
    let rows = photos.len().div_ceil(3);
    let sheet = (rows * (height + GAP) + GAP, 3 * (width + GAP) + GAP, 3);
    let mut sheet = ones(sheet, DType::F32);
    for (position, photo) in photos.iter().enumerate() {
        let top = GAP + position / 3 * (height + GAP);
        let left = GAP + position % 3 * (width + GAP);
        // Blocks of two by two pixels become their mean.
        let photo = photo.i((..2 * height, ..2 * width));
        let small = photo.reshape([height, 2, width, 2, 3]).mean([1, 3]);
        sheet.set(s![top..top + height, left..left + width], &small);
    }
    Ok(sheet)
}
