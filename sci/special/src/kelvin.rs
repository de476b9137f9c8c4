//! Kelvin functions.

use crate::formulas::kelvin;

special! { TABLE;
    /// Returns the Kelvin function `ber`
    ber(x) = "sp.special.ber", kelvin::ber, 256, [array([1.0, 2.0])] => "[0.98438178 0.75173418]";
    /// Returns the Kelvin function `bei`
    bei(x) = "sp.special.bei", kelvin::bei, 256, [array([1.0, 2.0])] => "[0.24956604 0.97229163]";
    /// Returns the Kelvin function `ker`
    ker(x) = "sp.special.ker", kelvin::ker, 256, [array([1.0, 2.0])] => "[ 0.28670621 -0.04166451]";
    /// Returns the Kelvin function `kei`
    kei(x) = "sp.special.kei", kelvin::kei, 256, [array([1.0, 2.0])] => "[-0.49499464 -0.20240007]";
    /// Returns the derivative of the Kelvin function `ber`
    berp(x) = "sp.special.berp", kelvin::berp, 256, [array([1.0, 2.0])] => "[-0.06244575 -0.49306712]";
    /// Returns the derivative of the Kelvin function `bei`
    beip(x) = "sp.special.beip", kelvin::beip, 256, [array([1.0, 2.0])] => "[0.49739651 0.91701361]";
    /// Returns the derivative of the Kelvin function `ker`
    kerp(x) = "sp.special.kerp", kelvin::kerp, 256, [array([1.0, 2.0])] => "[-0.69460389 -0.10660097]";
    /// Returns the derivative of the Kelvin function `kei`
    keip(x) = "sp.special.keip", kelvin::keip, 256, [array([1.0, 2.0])] => "[0.35236991 0.21980791]";
}
