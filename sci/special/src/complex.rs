//! Functions of complex numbers: those that have complex results alone, and what real ones call where an operand is complex.

use crate::formulas::{complex_errors, complex_gamma};

complex! { TABLE;
    /// Returns Faddeeva's function, `e^(-z²) erfc(-iz)`
    wofz(z: C) = "sp.special.wofz", complex_errors::wofz, 32, [array([Complex64::new(1.0, 1.0), Complex64::new(2.0, -0.5)])] => "[ 0.30474421+0.20821894j -0.09564472+0.32345361j]";
}

complex_forms! { FORMS;
    erfcx_complex(z: C) = "sp.special.erfcx", complex_errors::erfcx, 32;
    erfi_complex(z: C) = "sp.special.erfi", complex_errors::erfi, 32;
    dawsn_complex(z: C) = "sp.special.dawsn", complex_errors::dawsn, 32;
    ndtr_complex(z: C) = "sp.special.ndtr", complex_errors::ndtr, 64;
    rgamma_complex(z: C) = "sp.special.rgamma", complex_gamma::rgamma, 256;
    loggamma_complex(z: C) = "sp.special.loggamma", complex_gamma::loggamma, 32;
    digamma_complex(z: C) = "sp.special.digamma", complex_gamma::digamma, 32;
    psi_complex(z: C) = "sp.special.psi", complex_gamma::digamma, 32;
}

complex_forms! { ROWS;
    erf_complex(z: C) = "sp.special.erf", complex_errors::erf, 32;
    erfc_complex(z: C) = "sp.special.erfc", complex_errors::erfc, 32;
    gamma_complex(z: C) = "sp.special.gamma", complex_gamma::gamma, 256;
}
