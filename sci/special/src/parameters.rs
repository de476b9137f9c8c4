//! Parameters of distributions at which a probability is a given one.

use crate::formulas::parameters;

special! { TABLE;
    /// Returns the degrees of freedom at which `chdtr` is `p`
    chdtriv(p, x) = "sp.special.chdtriv", parameters::chdtriv, 1024, [array([0.5, 0.9]), 2.0] => "[2.62850002 0.69127336]";
    /// Returns the shape at which `gdtr` is `p`
    gdtrib(a, p, x) = "sp.special.gdtrib", parameters::gdtrib, 1024, [2.0, array([0.5, 0.9]), 1.0] => "[2.32348868 0.82982446]";
    /// Returns the count at which `pdtr`, continued between whole numbers, is `p`
    pdtrik(p, m) = "sp.special.pdtrik", parameters::pdtrik, 1024, [array([0.5, 0.9]), 5.0] => "[4.32937027 7.44511749]";
    /// Returns the first parameter of the beta distribution at which `betainc` is `p`
    btdtria(p, b, x) = "sp.special.btdtria", parameters::btdtria, 1024, [array([0.5, 0.9]), 2.0, 0.5] => "[2.         0.43726798]";
    /// Returns the second parameter of the beta distribution at which `betainc` is `p`
    btdtrib(a, p, x) = "sp.special.btdtrib", parameters::btdtrib, 1024, [2.0, array([0.5, 0.9]), 0.25] => "[ 5.36730958 13.04209619]";
    /// Returns the number of successes at which `bdtr`, continued between whole numbers, is `y`
    bdtrik(y, n, p) = "sp.special.bdtrik", parameters::bdtrik, 1024, [array([0.5, 0.9]), 10.0, 0.25] => "[1.91109729 3.79045644]";
    /// Returns the number of trials at which `bdtr` is `y`: infinite of 0, `k` of 1
    bdtrin(k, y, p) = "sp.special.bdtrin", parameters::bdtrin, 1024, [3.0, array([0.5, 0.9]), 0.25] => "[14.34906235  7.70352302]";
    /// Returns the number of failures at which `nbdtr`, continued between whole numbers, is `y`
    nbdtrik(y, n, p) = "sp.special.nbdtrik", parameters::nbdtrik, 1024, [array([0.5, 0.9]), 5.0, 0.5] => "[4.         8.73307493]";
    /// Returns the number of successes at which `nbdtr` is `y`: infinite of 0
    nbdtrin(k, y, p) = "sp.special.nbdtrin", parameters::nbdtrin, 1024, [3.0, array([0.5, 0.9]), 0.25] => "[1.54025692 0.37264313]";
    /// Returns the degrees of freedom of the lower variable at which `fdtr` is `p`, NaN where none do that
    fdtridfd(dfn, p, x) = "sp.special.fdtridfd", parameters::fdtridfd, 1024, [2.0, array([0.5, 0.75]), 2.0] => "[0.75191894 4.        ]";
    /// Returns the degrees of freedom at which `stdtr` is `p`, NaN where none do that
    stdtridf(p, t) = "sp.special.stdtridf", parameters::stdtridf, 1024, [array([0.7, 0.8]), 1.0] => "[0.50715953 2.6387439 ]";
    /// Returns the mean at which the probability that a normal variable of deviation `std` is at most `x` is `p`
    nrdtrimn(p, std, x) = "sp.special.nrdtrimn", parameters::nrdtrimn, 8, [array([0.3, 0.9]), 2.0, 1.0] => "[ 2.04880103 -1.56310313]";
    /// Returns the deviation at which the probability that a normal variable of mean `mn` is at most `x` is `p`, infinite of 0.5
    nrdtrisd(mn, p, x) = "sp.special.nrdtrisd", parameters::nrdtrisd, 8, [1.0, array([0.7, 0.9]), 2.0] => "[1.9069394  0.78030415]";
}
