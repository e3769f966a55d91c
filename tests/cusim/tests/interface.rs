//! The C interface, called as a driver's library is; each scenario in a process of its own, since errors stick.

#![expect(unsafe_code, reason = "pointers to names come back from the interface")]

use cusim::c::device::*;
use cusim::c::memory::*;
use cusim::c::module::*;
use cusim::c::stream::*;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::process::Command;

const ADD_ONE: &CStr = c".version 7.8 .target sm_80 .address_size 64
.visible .entry add_one(.param .u64 data, .param .u64 count) {
  .reg .b64 %a, %n; .reg .b32 %i, %m; .reg .f32 %x; .reg .pred %p;
  ld.param.u64 %a, [data];
  ld.param.u64 %n, [count];
  mov.u32 %i, %tid.x;
  cvt.u32.u64 %m, %n;
  setp.ge.u32 %p, %i, %m;
  @%p ret;
  mad.wide.u32 %a, %i, 4, %a;
  ld.global.f32 %x, [%a];
  add.rn.f32 %x, %x, 0f3F800000;
  st.global.f32 [%a], %x;
}";

/// The result that a function hands out, or its status.
fn got<T>(call: impl FnOnce(Option<&mut MaybeUninit<T>>) -> i32) -> Result<T, i32> {
    let mut out = MaybeUninit::uninit();
    match call(Some(&mut out)) {
        // SAFETY: a function that succeeds has written its result.
        0 => Ok(unsafe { out.assume_init() }),
        status => Err(status),
    }
}

fn done(status: i32) -> Result<(), i32> {
    if status == 0 { Ok(()) } else { Err(status) }
}

/// Starts the driver and gives a stream and a function.
fn start() -> Result<(usize, usize), i32> {
    done(cuInit(0))?;
    assert_eq!(got(|out| cuDeviceGet(out, 0))?, 0);
    assert_eq!(got(|out| cuDeviceGet(out, 1)), Err(101));
    let context = got(|out| cuDevicePrimaryCtxRetain(out, 0))?;
    done(cuCtxSetCurrent(context))?;
    let module = got(|out| cuModuleLoadData(out, ADD_ONE.as_ptr().cast()))?;
    assert_eq!(got(|out| cuModuleLoadData(out, c"no PTX".as_ptr().cast())), Err(218));
    assert_eq!(got(|out| cuModuleGetFunction(out, module, c"none".as_ptr())), Err(500));
    let function = got(|out| cuModuleGetFunction(out, module, c"add_one".as_ptr()))?;
    Ok((got(|out| cuStreamCreate(out, 0))?, function))
}

fn launch(function: usize, stream: usize, threads: u32, params: [u64; 2]) -> Result<(), i32> {
    let pointers = [&raw const params[0], &raw const params[1]];
    done(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, pointers.as_ptr(), std::ptr::null()))
}

fn upload(stream: usize, values: &[f32]) -> Result<u64, i32> {
    let bytes = size_of_val(values);
    let address = got(|out| cuMemAllocAsync(out, bytes, stream))?;
    done(cuMemcpyHtoDAsync_v2(address, values.as_ptr().cast(), bytes, stream))?;
    Ok(address)
}

fn download(stream: usize, address: u64, count: usize) -> Result<Vec<f32>, i32> {
    let mut values = vec![0.0; count];
    done(cuMemcpyDtoHAsync_v2(values.as_mut_ptr().cast::<c_void>(), address, 4 * count, stream))?;
    done(cuStreamSynchronize(stream))?;
    Ok(values)
}

/// Everything goes well, a graph included; the status of the first call that does not.
fn all_is_well() -> Result<(), i32> {
    let (stream, function) = start()?;
    let data = upload(stream, &[1.0, 2.0, 3.0])?;
    launch(function, stream, 32, [data, 3])?;
    assert_eq!(download(stream, data, 3)?, [2.0, 3.0, 4.0]);
    let copy = got(|out| cuMemAlloc_v2(out, 12))?;
    done(cuStreamBeginCapture_v2(stream, 0))?;
    launch(function, stream, 32, [data, 2])?;
    done(cuMemcpyDtoDAsync_v2(copy, data, 12, stream))?;
    assert_eq!(got(|out| cuStreamIsCapturing(stream, out))?, 1);
    let graph = got(|out| cuStreamEndCapture(stream, out))?;
    let executable = got(|out| cuGraphInstantiateWithFlags(out, graph, 0))?;
    done(cuGraphDestroy(graph))?;
    assert_eq!(download(stream, data, 3)?, [2.0, 3.0, 4.0], "capturing does nothing");
    done(cuGraphLaunch(executable, stream))?;
    done(cuGraphLaunch(executable, stream))?;
    assert_eq!(download(stream, copy, 3)?, [4.0, 5.0, 4.0]);
    done(cuMemsetD8Async(copy, 0, 12, stream))?;
    assert_eq!(download(stream, copy, 3)?, [0.0; 3]);
    let free = got(|out| {
        let mut total = MaybeUninit::uninit();
        cuMemGetInfo_v2(out, Some(&mut total))
    })?;
    done(cuMemFreeAsync(data, stream))?;
    done(cuMemFree_v2(copy))?;
    assert_eq!(got(|out| cuMemPoolGetAttribute(0x2000, 7, out))?, 0);
    assert_eq!(free, (8 << 30) - 24);
    done(cuStreamDestroy_v2(stream))
}

/// A kernel reads past its array: the launch is accepted, and everything after says why not.
fn a_kernel_faults() -> Result<(), i32> {
    let (stream, function) = start()?;
    let data = upload(stream, &[1.0, 2.0, 3.0])?;
    launch(function, stream, 32, [data, 4])?;
    assert_eq!(upload(stream, &[1.0]), Err(700));
    assert_eq!(done(cuCtxSynchronize()), Err(700));
    let name = got(|out| cuGetErrorName(700, out))?;
    // SAFETY: names are static.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"CUDA_ERROR_ILLEGAL_ADDRESS");
    download(stream, data, 3).map(|_| ())
}

/// Memory that was freed is read.
fn freed_memory_is_read() -> Result<(), i32> {
    let (stream, _) = start()?;
    let data = upload(stream, &[1.0])?;
    done(cuMemFreeAsync(data, stream))?;
    download(stream, data, 1).map(|_| ())
}

/// Too much shared memory is asked for, until the function may have it.
fn shared_memory_is_asked_for() -> Result<(), i32> {
    let (stream, function) = start()?;
    let data = upload(stream, &[1.0])?;
    let params = [data, 1];
    let pointers = [&raw const params[0], &raw const params[1]];
    let launch =
        || done(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 60 << 10, stream, pointers.as_ptr(), std::ptr::null()));
    assert_eq!(launch(), Err(1));
    done(cuFuncSetAttribute(function, 8, 60 << 10))?;
    launch()
}

/// A scenario: the status of the first call that fails.
type Scenario = fn() -> Result<(), i32>;

const SCENARIOS: [(&str, Scenario); 4] = [
    ("well", all_is_well),
    ("fault", a_kernel_faults),
    ("freed", freed_memory_is_read),
    ("shared", shared_memory_is_asked_for),
];

/// Plays the scenario that the parent asks for.
#[test]
fn child() {
    let Ok(wanted) = std::env::var("CUSIM_SCENARIO") else { return };
    let (_, scenario) = SCENARIOS.iter().find(|(name, _)| *name == wanted).expect("a scenario");
    eprintln!("outcome: {:?}", scenario());
}

/// Its outcome, with these variables set.
fn outcome(scenario: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["child", "--exact", "--nocapture"]).env("CUSIM_SCENARIO", scenario);
    let output = command.envs(variables.iter().copied()).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[track_caller]
fn expect(scenario: &str, variables: &[(&str, &str)], parts: &[&str]) {
    let text = outcome(scenario, variables);
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn without_faults_everything_succeeds() {
    expect("well", &[], &["outcome: Ok(())"]);
    expect("shared", &[], &["outcome: Ok(())"]);
}

#[test]
fn faults_of_kernels_stick() {
    expect("fault", &[], &["outcome: Err(700)", "PTX line 11 `ld.global.f32 %x, [%a];`, block 0, thread 3"]);
    expect("freed", &[], &["outcome: Err(1)", "byte 0 of an allocation of 4 bytes that was freed"]);
}

#[test]
fn faults_are_made_to_order() {
    expect("well", &[("CUSIM_NO_DEVICE", "1")], &["outcome: Err(100)"]);
    expect("well", &[("CUSIM_FAIL_ALLOC", "1")], &["outcome: Err(2)"]);
    expect("well", &[("CUSIM_FAIL_ALLOC", "2")], &["outcome: Err(2)"]);
    expect("well", &[("CUSIM_FAIL_ALLOC", "3")], &["outcome: Ok(())"]);
    expect("well", &[("CUSIM_FAIL_ALLOC", "2+")], &["outcome: Err(2)"]);
    expect("well", &[("CUSIM_MEMORY", "12")], &["outcome: Err(2)"]);
    expect("well", &[("CUSIM_FAIL_LAUNCH", "1")], &["outcome: Err(719)"]);
    expect("well", &[("CUSIM_FAIL_LAUNCH", "2")], &["outcome: Err(719)"]);
    for operation in 1..12 {
        expect("well", &[("CUSIM_LOSE_DEVICE", &operation.to_string())], &["outcome: Err(999)"]);
    }
}
