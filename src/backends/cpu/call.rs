//! Calling machine code: compiled kernels, and the matrix product of `matrixmultiply`.
//!
//! Invariant: code is called only while the module that holds it lives, with a table of as many buffers as the kernel
//! has and a range inside its loops; which bytes it then touches has been proved for the plan.

#![expect(unsafe_code, reason = "calls code that the compiler does not know")]

use super::memory::Raw;
use crate::base::Broken;
use cranelift_codegen::ir::types::{F32, F64};
use cranelift_codegen::ir::{AbiParam, ExtFuncData, ExternalName, FuncRef, Function, Signature, UserExternalName};
use cranelift_codegen::isa::CallConv;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};

/// The part of a kernel's loops that one call does.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Range {
    /// From and to, of all parallel loops but the innermost as one.
    pub(super) rows: [i64; 2],
    /// From and to, of the innermost parallel loop.
    pub(super) columns: [i64; 2],
    /// From and to, of the chunks of a reduction.
    pub(super) chunks: [i64; 2],
    /// Elements in the scratch from one point's results to the next one's.
    pub(super) pitch: i64,
}

/// Of every kernel function: buffers, scratch, what to do.
type Function3 = unsafe extern "C" fn(*const Raw, *mut u8, *const Range);

/// A compiled function of a module that is kept beside it.
#[derive(Clone, Copy)]
pub(super) struct Entry(Function3);

impl Entry {
    /// Does a part of the kernel.
    pub(super) fn call(self, buffers: &[Raw], scratch: Raw, range: &Range) {
        // SAFETY: the executable owns the module and calls only its own entries; its `run` has bound every buffer of
        // the kernel to a slot of the proved plan, and sized the scratch for the range.
        unsafe { (self.0)(buffers.as_ptr(), scratch.address(), range) }
    }
}

/// Compiled functions in memory of their own, freed with this.
pub(super) struct Machine {
    /// Taken out by `drop` only.
    module: Option<JITModule>,
}

impl Machine {
    /// From a module whose definitions are all finalized.
    pub(super) fn new(module: JITModule) -> Self {
        Self { module: Some(module) }
    }

    /// A function of the signature that [`Range`] belongs to.
    pub(super) fn entry(&self, function: FuncId) -> Result<Entry, Broken> {
        let module = self.module.as_ref().ok_or_else(|| Broken::new("cpu", "the module is there"))?;
        let address = module.get_finalized_function(function);
        // SAFETY: `compile` has declared every function that it asks for here with these three pointers.
        Ok(Entry(unsafe { std::mem::transmute::<*const u8, Function3>(address) }))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: entries are kept beside this only, in the executable that is being dropped, so none runs.
            unsafe { module.free_memory() }
        }
    }
}

extern "C" fn fmod_single(x: f32, y: f32) -> f32 {
    x % y
}

extern "C" fn fmod_double(x: f64, y: f64) -> f64 {
    x % y
}

extern "C" fn fma_single(x: f32, y: f32, z: f32) -> f32 {
    x.mul_add(y, z)
}

extern "C" fn fma_double(x: f64, y: f64, z: f64) -> f64 {
    x.mul_add(y, z)
}

macro_rules! roundings {
    ($($single:ident $double:ident $method:ident)*) => {$(
        extern "C" fn $single(x: f32) -> f32 {
            x.$method()
        }
        extern "C" fn $double(x: f64) -> f64 {
            x.$method()
        }
    )*};
}

roundings! {
    floor_single floor_double floor
    ceil_single ceil_double ceil
    trunc_single trunc_double trunc
    nearest_single nearest_double round_ties_even
}

/// Makes known what kernels may call: remainders, and what processors without the instruction are given instead.
pub(super) fn symbols(builder: &mut JITBuilder) {
    builder.symbol("arr_fmodf", fmod_single as *const u8);
    builder.symbol("arr_fmod", fmod_double as *const u8);
    builder.symbol("fmaf", fma_single as *const u8);
    builder.symbol("fma", fma_double as *const u8);
    builder.symbol("floorf", floor_single as *const u8);
    builder.symbol("floor", floor_double as *const u8);
    builder.symbol("ceilf", ceil_single as *const u8);
    builder.symbol("ceil", ceil_double as *const u8);
    builder.symbol("truncf", trunc_single as *const u8);
    builder.symbol("trunc", trunc_double as *const u8);
    builder.symbol("nearbyintf", nearest_single as *const u8);
    builder.symbol("nearbyint", nearest_double as *const u8);
}

/// What the code of kernels may ask of its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Helpers {
    /// Whether there is an instruction for multiply-add.
    pub(super) fma: bool,
    convention: CallConv,
    fmod: [u32; 2],
}

impl Helpers {
    /// Declares the functions in a module.
    pub(super) fn declare(module: &mut JITModule, fma: bool) -> Result<Self, Broken> {
        let convention = module.isa().default_call_conv();
        let mut fmod = [0; 2];
        for (double, name) in ["arr_fmodf", "arr_fmod"].into_iter().enumerate() {
            let signature = binary(convention, double == 1);
            let function = module.declare_function(name, Linkage::Import, &signature);
            let function = function.map_err(|error| Broken::new("cpu", error.to_string()))?;
            if let Some(slot) = fmod.get_mut(double) {
                *slot = function.as_u32();
            }
        }
        Ok(Self { fma, convention, fmod })
    }

    /// `fmod` as seen in one function.
    pub(super) fn declare_fmod(&self, function: &mut Function, double: bool) -> FuncRef {
        let signature = function.import_signature(binary(self.convention, double));
        let index = self.fmod[usize::from(double)];
        let name = function.declare_imported_user_function(UserExternalName { namespace: 0, index });
        let name = ExternalName::user(name);
        function.import_function(ExtFuncData { name, signature, colocated: false, patchable: false })
    }
}

fn binary(convention: CallConv, double: bool) -> Signature {
    let float = AbiParam::new(if double { F64 } else { F32 });
    let mut signature = Signature::new(convention);
    signature.params.extend([float, float]);
    signature.returns.push(float);
    signature
}

/// A float type with a matrix product.
pub(super) trait Gemm: super::memory::Plain {
    /// `out[m, n] = a[m, k] @ b[k, n]`; sizes are `[m, k, n]`, with element strides of the operands and of `out`'s rows.
    fn gemm(sizes: [usize; 3], a: (Raw, [isize; 2]), b: (Raw, [isize; 2]), out: (Raw, isize));
}

impl Gemm for f32 {
    fn gemm(
        [m, k, n]: [usize; 3],
        (a, [ar, ac]): (Raw, [isize; 2]),
        (b, [br, bc]): (Raw, [isize; 2]),
        (out, row): (Raw, isize),
    ) {
        let (a, b, out) = (a.address().cast(), b.address().cast(), out.address().cast());
        // SAFETY: the plan's checker has proved the operands' ranges, and that `out` overlaps neither.
        unsafe { matrixmultiply::sgemm(m, k, n, 1.0, a, ar, ac, b, br, bc, 0.0, out, row, 1) }
    }
}

impl Gemm for f64 {
    fn gemm(
        [m, k, n]: [usize; 3],
        (a, [ar, ac]): (Raw, [isize; 2]),
        (b, [br, bc]): (Raw, [isize; 2]),
        (out, row): (Raw, isize),
    ) {
        let (a, b, out) = (a.address().cast(), b.address().cast(), out.address().cast());
        // SAFETY: as above.
        unsafe { matrixmultiply::dgemm(m, k, n, 1.0, a, ar, ac, b, br, bc, 0.0, out, row, 1) }
    }
}
