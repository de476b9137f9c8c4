//! Names and the functions that they stand for: found once, called many times.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::bind::Bound;
use super::parameters::{Parameter, Parameters};
use super::support::{self, Means};
use super::{ALIASES, Function, Value, functions, ufunc};
use crate::array::{Array, Order};
use crate::elementwise::elementwise;
use crate::elementwise::{METHODS, Method, MethodKind, UNARY_METHODS};
use crate::exchange::known_error;
use crate::extend;
use ndany_core::ops::{PAIRS, UfuncDef};
use ndany_core::{Error, Result};

/// A function by its NumPy name, found once and called many times; see [`resolve`].
pub struct Callable {
    name: &'static str,
    parameters: Parameters,
    target: Target,
}

/// What computes it.
#[derive(Clone, Copy)]
enum Target {
    /// A function of the tables.
    Function(&'static Function),
    /// A method of an elementwise operation.
    Method(&'static Method),
    /// Operations, one for each result.
    Rows(&'static [&'static UfuncDef]),
    /// The operation of one result.
    Row(&'static UfuncDef),
    /// An elementwise function of another crate.
    Extension(&'static extend::Function),
    /// A function of numbers of another crate.
    Computed(&'static extend::Computed),
}

impl fmt::Debug for Callable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Callable({})", self.name)
    }
}

/// The functions of this crate by every name that they have.
static OWN: LazyLock<HashMap<&'static str, &'static Callable>> = LazyLock::new(|| {
    // A function that shares its name with an operation is that operation, with more forms.
    let mut own: HashMap<&'static str, &'static Callable> = HashMap::new();
    for function in functions() {
        let (name, target) = (function.name, Target::Function(function));
        own.entry(name).or_insert_with(|| callable(name, function.parameters, target));
    }
    let methods = METHODS.iter().chain(UNARY_METHODS);
    for method in methods {
        let parameters = ufunc::methods::parameters(method.kind);
        own.entry(method.name)
            .or_insert_with(|| callable(method.name, parameters, Target::Method(method)));
    }
    for row in PAIRS.iter().copied() {
        let parameters = ufunc::parameters(row.arity, row.rows.len());
        own.entry(row.numpy)
            .or_insert_with(|| callable(row.numpy, parameters, Target::Rows(&row.rows)));
    }
    for row in UfuncDef::all() {
        let parameters = ufunc::parameters(row.arity, 1);
        own.entry(row.numpy).or_insert_with(|| callable(row.numpy, parameters, Target::Row(row)));
    }
    for (alias, name) in ALIASES {
        if let Some(&known) = own.get(name) {
            own.insert(alias, known);
        }
    }
    // The methods of an operation have all of its names, too.
    for method in METHODS.iter().chain(UNARY_METHODS) {
        let Some((row, kind)) = method.name.rsplit_once('.') else { continue };
        for (alias, _) in ALIASES.iter().filter(|(_, name)| *name == row) {
            if let Some(&known) = own.get(method.name) {
                own.entry(format!("{alias}.{kind}").leak()).or_insert(known);
            }
        }
    }
    own
});

/// Functions of other crates that have been called or looked up, by name.
static OTHERS: RwLock<Option<HashMap<&'static str, &'static Callable>>> = RwLock::new(None);

/// A callable that lives as long as the program, as the function does.
fn callable(name: &'static str, parameters: &'static str, target: Target) -> &'static Callable {
    Box::leak(Box::new(Callable { name, parameters: Parameters::parse(parameters), target }))
}

/// The function of another crate of this name. Such functions can be added while the program runs, and none is taken away.
fn other(name: &str) -> Option<&'static Callable> {
    let known = OTHERS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(&known) = known.as_ref().and_then(|known| known.get(name)) {
        return Some(known);
    }
    drop(known);
    let name = support::first_name(name);
    let found = extend::functions().find(|function| function.numpy == name);
    let found = found.map(|own| (own.numpy, own.parameters, Target::Extension(own)));
    let computed = || extend::computed().find(|function| function.numpy == name);
    let (name, parameters, target) = found
        .or_else(|| computed().map(|own| (own.numpy, own.parameters, Target::Computed(own))))?;
    let mut known = OTHERS.write().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    Some(*known.entry(name).or_insert_with(|| callable(name, parameters, target)))
}

/// Finds a function by its NumPy name, to be called many times.
///
/// - **Errors**: [`Error::Unsupported`] for a name that is not known here.
///
/// ```
/// use ndany::call::{Value, resolve};
/// use ndany::prelude::*;
/// let add = resolve("np.add")?;
/// let sum = add.call(&[Value::from(array([1, 2])), Value::from(1)], &[])?.into_array();
/// assert_eq!(sum.expect("an array").to_string(), "[2 3]");
/// let names: Vec<&str> = resolve("np.put")?.parameters().iter().map(|own| own.name).collect();
/// assert_eq!(names, ["a", "ind", "v", "mode"]);
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn resolve(name: &str) -> Result<&'static Callable> {
    // An operation goes before a function of another crate, as it does in `extend::add`.
    match OWN.get(name).copied().or_else(|| other(name)) {
        Some(known) => Ok(known),
        None => Err(refused_method(name).unwrap_or_else(|| Error::Unsupported {
            op: name.to_string(),
            reason: "ndany has no function of this name".to_string(),
        })),
    }
}

/// The error of a method that NumPy's ufunc has, and which always fails there.
fn refused_method(name: &str) -> Option<Error> {
    let of = support::first_name(name.strip_suffix(".at")?);
    let op = name.to_string();
    if PAIRS.iter().any(|row| row.numpy == of) {
        let reason = "only operations with one result have this method".to_string();
        return Some(Error::ArgumentValue { op, reason });
    }
    let generalized = matches!(of, "np.matmul" | "np.matvec" | "np.vecmat" | "np.vecdot");
    let reason = "only elementwise operations have this method".to_string();
    generalized.then_some(Error::Arguments { op, reason })
}

impl Callable {
    /// Returns the function's NumPy name, the first where it has several.
    ///
    /// ```
    /// assert_eq!(ndany::call::resolve("np.abs")?.name(), "np.absolute");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the parameters in the order of NumPy's signature, with what each takes and whether the function changes it.
    ///
    /// ```
    /// let put = ndany::call::resolve("np.put")?;
    /// assert!(put.parameters()[0].is_changed);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters.all
    }

    /// Says how the function is computed.
    ///
    /// ```
    /// use ndany::call::{resolve, support::Means};
    /// assert_eq!(resolve("np.transpose")?.means(), Means::View);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn means(&self) -> Means {
        match self.target {
            Target::Function(function) => function.facts.means(),
            Target::Computed(_) => Means::Host,
            Target::Method(_) | Target::Rows(_) | Target::Row(_) | Target::Extension(_) => {
                Means::Native
            }
        }
    }

    /// Returns whether NumPy's result is a view of an argument where one is possible; else it has memory of its own.
    ///
    /// ```
    /// use ndany::call::resolve;
    /// assert!(resolve("np.transpose")?.gives_views() && !resolve("np.copy")?.gives_views());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn gives_views(&self) -> bool {
        matches!(self.target, Target::Function(function) if function.facts.gives_views())
    }

    /// Says when a call waits for the device.
    pub(super) fn waits(&self) -> Option<&'static str> {
        match self.target {
            Target::Function(function) => function.facts.when_it_waits(),
            Target::Method(Method { kind: MethodKind::At | MethodKind::UnaryAt, .. }) => {
                Some("by an array")
            }
            Target::Method(_)
            | Target::Rows(_)
            | Target::Row(_)
            | Target::Extension(_)
            | Target::Computed(_) => None,
        }
    }

    /// Calls the function, on the thread's current device where no array says otherwise, as [`call`](super::call()) does.
    ///
    /// An error of the result's values that is known without waiting for the device is returned here, and not where it is read. What is
    /// given as `out`, and the array that a function changes, keep their values and the changed one is returned, unless their memory is
    /// [pinned](mod@crate::exchange): then it is written.
    ///
    /// - **Errors**: [`Error::Unsupported`] for an argument that is not known here; otherwise what the function itself
    ///   reports, of the class that NumPy gives.
    ///
    /// ```
    /// use ndany::call::{Value, resolve};
    /// use ndany::prelude::*;
    /// let root = resolve("np.sqrt")?.call(&[Value::from(array([4.0]))], &[])?;
    /// assert_eq!(root.into_array().expect("an array").to_string(), "[2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn call(&self, args: &[Value], kwargs: &[(String, Value)]) -> Result<Value> {
        let result = self.run(args, kwargs, None)?;
        settled(&result)?;
        let outs = self.outs(args, kwargs);
        if !outs.is_empty() {
            return written(result, &outs);
        }
        let is_target = self.parameters().iter().any(|own| own.is_changed);
        if is_target || self.gives_views() { Ok(result) } else { apart(result) }
    }

    /// Calls a function that changes an array, on that array, as [`Callable::call`] does otherwise.
    ///
    /// The array is `target`, whatever the arguments have in its place. It is changed in place where it is the only handle on its value.
    ///
    /// - **Errors**: those of [`Callable::call`]; a function that changes no array.
    ///
    /// ```
    /// use ndany::call::{Value, resolve};
    /// use ndany::prelude::*;
    /// let mut a = array([0.0, 0.0, 0.0]);
    /// resolve("np.put")?.change(&mut a, &[Value::None, Value::from(1), Value::from(7.0)], &[])?;
    /// assert_eq!(a.to_string(), "[0. 7. 0.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn change(
        &self,
        target: &mut Array,
        args: &[Value],
        kwargs: &[(String, Value)],
    ) -> Result<()> {
        if !self.parameters().iter().any(|own| own.is_changed) {
            let reason = "expected a function that changes an array".to_string();
            return Err(Error::ArgumentValue { op: self.name.to_string(), reason });
        }
        let _guard = target.device().enter();
        self.run(args, kwargs, Some(&mut *target))?;
        known_error(target)
    }

    /// The result as the function makes it; `target` is what it changes in the place of an argument.
    #[track_caller]
    fn run(
        &self,
        args: &[Value],
        kwargs: &[(String, Value)],
        target: Option<&mut Array>,
    ) -> Result<Value> {
        let parameters = &self.parameters;
        match self.target {
            Target::Function(function) => {
                let call = Bound::new(self.name, parameters, args, kwargs)?;
                call.target.set(target);
                (function.run)(&call)
            }
            Target::Method(method) => {
                ufunc::methods::method(method, parameters, args, kwargs, target)
            }
            Target::Rows(rows) => ufunc::call_ufunc(self.name, parameters, rows, args, kwargs),
            Target::Row(row) => match ufunc::operands_alone(row, args, kwargs) {
                Some(mut operands) => elementwise(row, &mut operands).map(Value::Array),
                None => ufunc::call_ufunc(self.name, parameters, &[row], args, kwargs),
            },
            Target::Extension(own) => ufunc::call_function(own, parameters, args, kwargs),
            Target::Computed(own) => ufunc::call_computed(own, parameters, args, kwargs),
        }
    }

    /// The arrays given to be written into, by result.
    fn outs<'a>(&self, args: &'a [Value], kwargs: &'a [(String, Value)]) -> Vec<&'a Value> {
        let is_out = |name: &str| matches!(name, "out" | "out1" | "out2");
        let by_position = self.parameters.positional().iter().zip(args);
        let by_position = by_position.filter(|(own, _)| is_out(own.name)).map(|(_, value)| value);
        let by_keyword = kwargs.iter().filter(|(name, _)| is_out(name)).map(|(_, value)| value);
        let given = by_position.chain(by_keyword).filter(|value| !matches!(value, Value::None));
        given
            .flat_map(|value| match value {
                Value::Tuple(items) => items.iter().collect(),
                one => vec![one],
            })
            .collect()
    }
}

/// Fails with an error of a result that is known already.
fn settled(result: &Value) -> Result<()> {
    match result {
        Value::Array(array) => known_error(array),
        Value::Tuple(items) | Value::List(items) => items.iter().try_for_each(settled),
        Value::Scalar(_)
        | Value::DType(_)
        | Value::Str(_)
        | Value::Bool(_)
        | Value::None
        | Value::Slice { .. }
        | Value::NewAxis
        | Value::Ellipsis => Ok(()),
    }
}

/// A result in the array given for it, where others use the memory of that array, too.
#[track_caller]
fn written(result: Value, outs: &[&Value]) -> Result<Value> {
    match (result, outs) {
        (Value::Tuple(items), _) if items.len() == outs.len() => {
            let written = items.into_iter().zip(outs).map(|(item, out)| written(item, &[*out]));
            written.collect::<Result<_>>().map(Value::Tuple)
        }
        (Value::Array(array), [Value::Array(out)]) if out.node().is_pinned() => {
            let mut target = out.clone();
            if !target.shares_buffer(&array) {
                target.in_its_memory(|target| {
                    *target = array;
                    Ok(())
                })?;
            }
            Ok(Value::Array(target))
        }
        (result, _) => Ok(result),
    }
}

/// A result with memory of its own: a function may return what it was given, whose memory others can write.
#[track_caller]
fn apart(result: Value) -> Result<Value> {
    match result {
        Value::Array(array) if array.node().is_exposed() => {
            array.try_copy_in(Order::K).map(Value::Array)
        }
        Value::Tuple(items) => {
            items.into_iter().map(apart).collect::<Result<_>>().map(Value::Tuple)
        }
        Value::List(items) => items.into_iter().map(apart).collect::<Result<_>>().map(Value::List),
        other => Ok(other),
    }
}
