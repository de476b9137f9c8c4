//! Files and texts against what NumPy writes; texts that are read are golden cases.

use super::*;
use crate::*;

fn on_reference<T>(test: impl FnOnce() -> T) -> T {
    let _guard = Device::open("reference").expect("always there").enter();
    test()
}

fn file(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("ndany-text-{}-{name}", std::process::id()))
}

#[test]
fn lines_are_numpys() -> Result<()> {
    on_reference(|| {
        let x = Array::from([[1.0, -2.5], [f64::NAN, 1e300]]);
        let first = x.i(..1);
        let default =
            "1.000000000000000000e+00 -2.500000000000000000e+00\nnan 1.000000000000000053e+300\n";
        assert_eq!(x.to_txt(..)?, default);
        assert_eq!(Array::from([1, 2]).to_txt(TableLayout::new().format("%d"))?, "1\n2\n");
        let narrow =
            x.astype(DType::F32).to_txt(TableLayout::new().format("%.3g").delimiter(","))?;
        assert_eq!(narrow, "1,-2.5\nnan,inf\n");
        let each =
            TableLayout::new().formats(&["%d", "%s"]).header("a\nb").footer("end").comments("; ");
        assert_eq!(first.to_txt(each)?, "; a\n; b\n1 -2.5\n; end\n");
        let whole = TableLayout::new().format("%5.1f <-> %5.1f");
        assert_eq!(first.to_txt(whole)?, "  1.0 <->  -2.5\n");
        let complex = Array::from([[num_complex::Complex::new(1.0, -2.0)]]);
        assert_eq!(complex.to_txt(TableLayout::new().format("%.1f"))?, " (1.0-2.0j)\n");
        assert_eq!(complex.to_txt(TableLayout::new().format("%.1f %.1f"))?, "1.0 -2.0\n");
        assert_eq!(zeros((2, 0), DType::F64).to_txt(..)?, "\n\n");
        for (array, format, class) in [
            (Array::scalar(1.0), "%d", "ValueError"),
            (Array::from([1.5]), "%x", "TypeError"),
            (x.clone(), "%d %d %d", "ValueError"),
            (x.clone(), "%q", "ValueError"),
        ] {
            let error = array.to_txt(TableLayout::new().format(format)).expect_err(format);
            assert_eq!(error.class(), class, "{error}");
        }
        assert!(x.to_txt(TableLayout::new().formats(&["%d", "%d", "%d"])).is_err());
        Ok(())
    })
}

#[test]
fn files_come_back() -> Result<()> {
    on_reference(|| {
        let (txt, raw) = (file("a.txt"), file("a.bin"));
        let a = arange(12).reshape([3, 4]);
        savetxt(&txt, &a, TableLayout::new().format("%d").delimiter(";"))?;
        let format = TableFormat::new().delimiter(";").dtype(DType::I64);
        assert!(loadtxt(&txt, format.clone())?.array_equal(&a)?);
        assert!(genfromtxt(&txt, format)?.array_equal(&a)?);
        a.tofile(&raw, ..)?;
        assert!(fromfile(&raw, DType::I64, 0, None)?.array_equal(a.ravel())?);
        assert_eq!(fromfile(&raw, DType::I64, 16, Some(2))?.to_vec::<i64>()?, [2, 3]);
        // What is left over at the end is not read.
        assert_eq!(fromfile(&raw, DType::I64, 4, None)?.size(), 11);
        let floats = Array::from([1.5f32, 0.1]);
        floats.tofile(&txt, " ")?;
        assert_eq!(std::fs::read_to_string(&txt).expect("written"), "1.5 0.10000000149011612");
        floats.tofile(&txt, (", ", "%.2f"))?;
        assert_eq!(std::fs::read_to_string(&txt).expect("written"), "1.50, 0.10");
        std::fs::write(&txt, "1 2\n3 x\n").expect("written");
        let error = loadtxt(&txt, ..).expect_err("no number");
        assert_eq!(error.to_string(), "[loadtxt] line 2: \"x\" in column 1 is no float64");
        assert_eq!(error.class(), "ValueError");
        std::fs::write(&txt, [0xFF, 0xFE, b'1']).expect("written");
        assert_eq!(loadtxt(&txt, ..).expect_err("no UTF-8").class(), "OSError");
        for path in [&txt, &raw] {
            std::fs::remove_file(path).expect("just written");
            assert_eq!(loadtxt(path, ..).expect_err("gone").class(), "OSError");
        }
        Ok(())
    })
}

#[test]
fn closures_along_axes() -> Result<()> {
    on_reference(|| {
        let a = arange(24).reshape([2, 3, 4]);
        for axis in [0, 1, 2, -1] {
            let sums = a.apply_along_axis(axis, |row| row.sum(..));
            assert!(sums.array_equal(a.sum(axis))?, "{axis}");
            let turned = a.apply_along_axis(axis, |row| row.flip(..));
            assert!(turned.array_equal(a.flip(axis))?, "{axis}");
        }
        // What the function gives stands where the axis was.
        assert_eq!(a.apply_along_axis(1, |row| row.diag(0)).shape(), [2, 3, 3, 4]);
        assert!(zeros((0, 3), DType::F32).try_apply_along_axis(1, |row| row.clone()).is_err());
        assert!(a.try_apply_along_axis(3, |row| row.clone()).is_err());
        let over = a.apply_over_axes([0, 2], |a, axis| a.max(axis));
        assert_eq!((over.shape(), over.to_vec::<i64>()?), (&[1, 3, 1][..], vec![15, 19, 23]));
        assert!(a.try_apply_over_axes([0, 1], |a, _| a.ravel()).is_err());
        Ok(())
    })
}

#[cfg(feature = "call")]
#[test]
fn memory_is_shared_where_it_is() {
    on_reference(|| {
        let a = arange(24).reshape([4, 6]);
        let (left, right) = (a.i(s![.., ..3]), a.i(s![.., 3..]));
        assert!(left.may_share_memory(&right) && !left.shares_memory(&right));
        assert!(left.shares_memory(&a.i(s![1, 1..4])));
        assert!(!a.may_share_memory(&(&a + 0)));
        assert!(!a.i(s![..0]).may_share_memory(&a));
        assert!(a.i(s![0]).shares_memory(&a.flip(..).i(s![3])));
        assert_eq!((a.byte_bounds(), right.byte_bounds()), ((0, 192), (24, 192)));
    });
}
