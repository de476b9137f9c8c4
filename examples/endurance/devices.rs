//! Two devices of one vendor: arrays go both ways, and how fast.

use std::time::Instant;

use ndany::{DType, Device, arange};

use crate::Setting;
use crate::numbers::ensure;
use crate::support::Outcome;

pub fn run(setting: &Setting) -> Outcome<String> {
    let one = &setting.device;
    let name = one.name();
    let family = name.split(':').next().unwrap_or_default().to_string() + ":";
    let others =
        Device::all().into_iter().filter(|other| other.starts_with(&family) && *other != name);
    let Some(other) = others.into_iter().next() else {
        return Ok("one device: left out".to_string());
    };
    let two = Device::open(&other)?;
    let size = setting.size(1i64 << 26, 1 << 18);
    let here = (arange(size) % 8_388_593).astype(DType::F32);
    let expected = || (arange(size) % 8_388_593).astype(DType::F32) + 1.0;
    here.eval()?;
    // What is on its way there is used there at once, and what is used there comes back.
    let back = {
        let there = here.to_device(&two)?;
        let _guard = two.enter();
        (there + 1.0).to_device(one)?
    };
    let wrong = back.not_equal(expected()).sum(..).item::<i64>()?;
    ensure(wrong == 0, || format!("{wrong} of {size} elements are wrong after both ways"))?;
    // A view that starts somewhere, and one that does not lie in a piece.
    for part in [here.i(1001..2002), here.i((1001..2002,)).i(ndany::s![..;-3])] {
        let values = part.to_vec::<f32>()?;
        ensure(part.to_device(&two)?.to_vec::<f32>()? == values, || "a view differs".to_string())?;
    }
    // A small copy is not held up by a large array's memory: the source may go at once.
    drop(back);
    let rate = |from: &Device, to: &Device| -> Outcome<f64> {
        let _guard = from.enter();
        let array = (arange(size) % 1021).astype(DType::F32);
        array.eval()?;
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            from.synchronize()?;
            to.synchronize()?;
            let began = Instant::now();
            let copy = array.to_device(to)?;
            to.synchronize()?;
            best = best.min(began.elapsed().as_secs_f64());
            drop(copy);
        }
        Ok(best)
    };
    let (there, back) = (rate(one, &two)?, rate(&two, one)?);
    let speed = |seconds: f64| 4e-9 * size as f64 / seconds;
    Ok(format!(
        "{} elements of f32, {one} to {two} and back: right; there {:.3} ms = {:.1} GB/s, back {:.3} ms = {:.1} GB/s",
        size,
        there * 1e3,
        speed(there),
        back * 1e3,
        speed(back)
    ))
}
