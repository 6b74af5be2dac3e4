//! Names that everybody knows from elsewhere, and what to write instead.
//!
//! Rust's own library and other GPU languages have names for what a kernel writes in another
//! way or cannot have. This is the only table of them. In the text to write, `$0` and `$1` are
//! the arguments of the call, `$*` all of them, and `$-` the last one. Each help is Rust that
//! compiles in a kernel once the arguments are filled in.

use super::around::Around;
use super::is_among;
use super::order;
use crate::spell;
use samebits_ir::ops::{FloatClass, Op};
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

type Row = (&'static [&'static str], &'static str);

/// Functions of other languages for GPUs. No helper can have these names.
const GPU_FUNCTIONS: &[Row] = &[
    (
        &[
            "barrier",
            "sync_threads",
            "syncthreads",
            "__syncthreads",
            "sync",
            "storage_barrier",
            "workgroupBarrier",
            "storageBarrier",
            "controlBarrier",
            "memoryBarrierShared",
            "groupMemoryBarrier",
            "threadgroup_barrier",
            "GroupMemoryBarrierWithGroupSync",
            "AllMemoryBarrierWithGroupSync",
            "work_group_barrier",
            "sync_cube",
            "sync_units",
            "sync_storage",
            "sync_plane",
            "__syncwarp",
        ],
        "write `workgroup_barrier()`",
    ),
    (&["__threadfence"], "write `fence(Ordering::AcqRel)`"),
    (&["__threadfence_block"], "write `fence_in(Ordering::AcqRel, Scope::Workgroup)`"),
    (&["thread_id", "thread_idx", "invocation_id", "gid"], "write `global_id().x` or `local_id().x`"),
    (&["get_global_id", "globalInvocationId", "global_invocation_id"], "write `global_id().x`"),
    (
        &["get_local_id", "threadIdx", "thread_idx_x", "localInvocationId", "local_invocation_id"],
        "write `local_id().x`",
    ),
    (&["thread_idx_y"], "write `local_id().y`"),
    (&["thread_idx_z"], "write `local_id().z`"),
    (&["get_local_linear_id", "local_invocation_index"], "write `local_index()`"),
    (
        &["group_id", "block_idx", "block_id", "get_group_id", "blockIdx", "block_idx_x", "workgroupId"],
        "write `workgroup_id().x`",
    ),
    (&["block_idx_y"], "write `workgroup_id().y`"),
    (&["block_idx_z"], "write `workgroup_id().z`"),
    (&["get_num_groups", "gridDim", "grid_dim", "grid_dim_x", "numWorkgroups"], "write `num_workgroups().x`"),
    (
        &["get_local_size", "blockDim", "block_dim", "block_dim_x", "block_dim_y", "block_dim_z"],
        "write the number from `workgroup_size(…)`, or 64 if the kernel has none",
    ),
    (
        &["subgroup_invocation_id", "subgroup_local_id", "lane_id", "get_sub_group_local_id", "WaveGetLaneIndex"],
        "write `subgroup_lane()`",
    ),
    (
        &[
            "subgroupAdd",
            "WaveActiveSum",
            "simd_sum",
            "warp_sum",
            "warp_reduce_sum",
            "plane_sum",
            "subgroup_sum",
            "__reduce_add_sync",
        ],
        "write `subgroup_add($-)`",
    ),
    (
        &["subgroupMul", "WaveActiveProduct", "simd_product", "plane_prod", "subgroup_product"],
        "write `subgroup_mul($-)`",
    ),
    (
        &["subgroupMin", "WaveActiveMin", "simd_min", "warp_min", "plane_min", "__reduce_min_sync"],
        "write `subgroup_min($-)`",
    ),
    (
        &["subgroupMax", "WaveActiveMax", "simd_max", "warp_max", "plane_max", "__reduce_max_sync"],
        "write `subgroup_max($-)`",
    ),
    (&["subgroupAnd", "WaveActiveBitAnd", "__reduce_and_sync"], "write `subgroup_and($-)`"),
    (&["subgroupOr", "WaveActiveBitOr", "__reduce_or_sync"], "write `subgroup_or($-)`"),
    (&["subgroupXor", "WaveActiveBitXor", "__reduce_xor_sync"], "write `subgroup_xor($-)`"),
    (
        &["subgroupInclusiveAdd", "simd_prefix_inclusive_sum", "plane_inclusive_sum"],
        "write `subgroup_inclusive_add($-)`",
    ),
    (
        &["subgroupExclusiveAdd", "WavePrefixSum", "simd_prefix_exclusive_sum", "plane_exclusive_sum"],
        "write `subgroup_exclusive_add($-)`",
    ),
    (&["subgroupAll", "WaveActiveAllTrue", "__all_sync", "simd_all", "plane_all"], "write `subgroup_all($-)`"),
    (&["subgroupAny", "WaveActiveAnyTrue", "__any_sync", "simd_any", "plane_any"], "write `subgroup_any($-)`"),
    (
        &["subgroupBallot", "WaveActiveBallot", "__ballot_sync", "simd_ballot", "plane_ballot"],
        "write `subgroup_ballot($-)`",
    ),
    (&["subgroupElect", "WaveIsFirstLane", "simd_is_first", "plane_elect"], "write `subgroup_elect()`"),
    (&["subgroupBroadcastFirst", "WaveReadLaneFirst", "simd_broadcast_first"], "write `subgroup_broadcast_first($-)`"),
    (&["subgroupBroadcast", "simd_broadcast", "plane_broadcast"], "write `subgroup_broadcast($0, $1)`"),
    (&["subgroupShuffle", "WaveReadLaneAt", "simd_shuffle", "plane_shuffle"], "write `subgroup_shuffle($0, $1)`"),
    (&["subgroupShuffleXor", "simd_shuffle_xor", "plane_shuffle_xor"], "write `subgroup_shuffle_xor($0, $1)`"),
    (&["subgroupShuffleUp", "simd_shuffle_up", "plane_shuffle_up"], "write `subgroup_shuffle_up($0, $1)`"),
    (&["subgroupShuffleDown", "simd_shuffle_down", "plane_shuffle_down"], "write `subgroup_shuffle_down($0, $1)`"),
    (&["__shfl_sync"], "write `subgroup_shuffle($1, $2)`"),
    (&["__shfl_xor_sync"], "write `subgroup_shuffle_xor($1, $2)`"),
    (&["__shfl_up_sync"], "write `subgroup_shuffle_up($1, $2)`"),
    (&["__shfl_down_sync"], "write `subgroup_shuffle_down($1, $2)`"),
    (&["__shfl"], "write `subgroup_shuffle($0, $1)`"),
    (&["__shfl_xor"], "write `subgroup_shuffle_xor($0, $1)`"),
    (&["__shfl_up"], "write `subgroup_shuffle_up($0, $1)`"),
    (&["__shfl_down"], "write `subgroup_shuffle_down($0, $1)`"),
    (&["atomicAdd", "InterlockedAdd"], "write `$0.fetch_add($1)`"),
    (&["atomicSub"], "write `$0.fetch_sub($1)`"),
    (&["atomicMin", "InterlockedMin"], "write `$0.fetch_min($1)`"),
    (&["atomicMax", "InterlockedMax"], "write `$0.fetch_max($1)`"),
    (&["atomicAnd", "InterlockedAnd"], "write `$0.fetch_and($1)`"),
    (&["atomicOr", "InterlockedOr"], "write `$0.fetch_or($1)`"),
    (&["atomicXor", "InterlockedXor"], "write `$0.fetch_xor($1)`"),
    (&["atomicExch", "atomicExchange", "InterlockedExchange"], "write `$0.swap($1)`"),
    (
        &["atomicCAS", "atomicCompSwap", "atomicCompareExchangeWeak", "InterlockedCompareExchange"],
        "write `$0.compare_exchange($1, $2)`",
    ),
    (&["atomicInc"], "write `$0.fetch_inc_wrap($1)`"),
    (&["atomicDec"], "write `$0.fetch_dec_wrap($1)`"),
    (&["atomicLoad"], "write `$0.load()`"),
    (&["atomicStore"], "write `$0.store($1)`"),
    (&["arrayLength"], "write `$0.len()`"),
    (&["__ldg"], "write `$0`"),
    (&["__popc", "__popcll", "countOneBits", "bitCount"], "write `$0.count_ones()`"),
    (&["__clz", "__clzll", "countLeadingZeros"], "write `$0.leading_zeros()`"),
    (&["__ctz", "countTrailingZeros"], "write `$0.trailing_zeros()`"),
    (&["__brev", "__brevll", "reverseBits", "bitfieldReverse"], "write `$0.reverse_bits()`"),
    (&["__umulhi", "__mulhi"], "write `mul_hi($0, $1)`"),
    (&["__float_as_uint", "__float_as_int", "floatBitsToUint", "asuint"], "write `$0.to_bits()`"),
    (&["__uint_as_float", "uintBitsToFloat", "asfloat"], "write `f32::from_bits($0)`"),
    (&["printf"], "store the values that you want to see to a buffer"),
];

/// Variables of other languages for GPUs. Constants of users do not have such names.
const GPU_VALUES: &[Row] = &[
    (&["ABSOLUTE_POS", "ABSOLUTE_POS_X", "gl_GlobalInvocationID", "thread_position_in_grid"], "write `global_id().x`"),
    (&["ABSOLUTE_POS_Y"], "write `global_id().y`"),
    (&["ABSOLUTE_POS_Z"], "write `global_id().z`"),
    (&["UNIT_POS", "gl_LocalInvocationIndex", "thread_index_in_threadgroup"], "write `local_index()`"),
    (&["UNIT_POS_X", "gl_LocalInvocationID", "thread_position_in_threadgroup"], "write `local_id().x`"),
    (&["UNIT_POS_Y"], "write `local_id().y`"),
    (&["UNIT_POS_Z"], "write `local_id().z`"),
    (&["CUBE_POS", "CUBE_POS_X", "gl_WorkGroupID", "threadgroup_position_in_grid"], "write `workgroup_id().x`"),
    (&["CUBE_POS_Y"], "write `workgroup_id().y`"),
    (&["CUBE_POS_Z"], "write `workgroup_id().z`"),
    (&["CUBE_COUNT", "CUBE_COUNT_X", "gl_NumWorkGroups"], "write `num_workgroups().x`"),
    (
        &["CUBE_DIM", "CUBE_DIM_X", "CUBE_DIM_Y", "CUBE_DIM_Z", "gl_WorkGroupSize", "threads_per_threadgroup"],
        "write the number from `workgroup_size(…)`, or 64 if the kernel has none",
    ),
    (&["UNIT_POS_PLANE", "gl_SubgroupInvocationID", "thread_index_in_simdgroup"], "write `subgroup_lane()`"),
    (&["PLANE_POS", "gl_SubgroupID", "simdgroup_index_in_threadgroup"], "write `subgroup_id()`"),
    (
        &["warpSize", "PLANE_DIM", "gl_SubgroupSize", "subgroup_size", "threads_per_simdgroup"],
        "a subgroup is 32 invocations: write `32`",
    ),
];

/// Functions whose names a user's helper may have too, with what to write if there is no such helper.
const FUNCTIONS: &[Row] = &[
    (&["swap"], "write `($0, $1) = ($1, $0)`"),
    (&["replace"], "keep the old value first: `let old = $0; $0 = $1;`"),
    (&["take"], "keep the old value first: `let old = $0;`"),
    (&["float"], "write `$0 as f32`"),
    (&["int"], "write `$0 as i32`"),
    (&["uint"], "write `$0 as u32`"),
    (&["sqrtf"], "write `$0.sqrt()`"),
    (&["rsqrtf", "inversesqrt", "inverseSqrt"], "write `rsqrt($0)`"),
    (&["exp10f", "__exp10f"], "write `exp10($0)`"),
    (&["sinpi", "sinpif"], "write `sin_pi($0)`"),
    (&["cospi", "cospif"], "write `cos_pi($0)`"),
    (&["tanpi", "tanpif"], "write `tan_pi($0)`"),
    (&["expm1", "expm1f"], "write `$0.exp_m1()`"),
    (&["log1p", "log1pf"], "write `$0.ln_1p()`"),
    (&["log", "logf", "__logf"], "write `$0.ln()`"),
    (&["__expf"], "write `$0.exp()`"),
    (&["__sinf"], "write `$0.sin()`"),
    (&["__cosf"], "write `$0.cos()`"),
    (&["pow", "__powf"], "write `$0.powf($1)`"),
    (&["sincos", "sincosf"], "write `let (sine, cosine) = $0.sin_cos();`"),
    (&["erff"], "write `erf($0)`"),
    (&["erfcf"], "write `erfc($0)`"),
    (&["tgammaf"], "write `tgamma($0)`"),
    (&["lgammaf"], "write `lgamma($0)`"),
    (&["fabs", "fabsf"], "write `$0.abs()`"),
    (&["fmin", "fminf"], "write `$0.min($1)`"),
    (&["fmax", "fmaxf"], "write `$0.max($1)`"),
    (&["floorf"], "write `$0.floor()`"),
    (&["ceilf"], "write `$0.ceil()`"),
    (&["truncf"], "write `$0.trunc()`"),
    (&["fma", "fmaf", "__fmaf_rn"], "write `$0.mul_add($1, $2)`"),
    (&["mix", "lerp"], "write `$0 + ($1 - $0) * $2`"),
    (&["fract", "frac"], "write `$0 - $0.floor()`"),
    (&["select"], "write `if $2 { $1 } else { $0 }`"),
    (&["atomic_add", "atomic_fetch_add"], "write `$0.fetch_add($1)`"),
    (&["black_box"], "write `$0`"),
    (&["compiler_fence"], "write `fence($0)`"),
    (&["unreachable_unchecked", "abort", "exit"], "a kernel cannot fail: leave it with `return`"),
    (&["drop", "forget"], "remove it: nothing in a kernel has to be dropped"),
    (&["size_of", "size_of_val", "align_of"], "write the number of bytes"),
    (&["transmute", "bitcast"], "write `$0.to_bits()` or `f32::from_bits($0)`"),
    (&["Ok", "Err"], "a kernel has no `Result`: give an `Option`, `Some($0)` or `None`"),
];

/// Methods of floats that the language spells in another way.
const FLOAT_METHODS: &[Row] = &[
    (&["log"], "write `x.ln() / base.ln()`, or `log2` and `log10` for these bases"),
    (&["pow", "wrapping_pow"], "write `x.powf(y)`, or `x.powi(n)` for a whole power"),
    (&["exp10"], "write `exp10(x)`"),
    (&["rsqrt", "inversesqrt"], "write `rsqrt(x)`"),
    (&["sin_pi", "sinpi"], "write `sin_pi(x)`"),
    (&["cos_pi", "cospi"], "write `cos_pi(x)`"),
    (&["tan_pi", "tanpi"], "write `tan_pi(x)`"),
    (&["erf"], "write `erf(x)`"),
    (&["erfc"], "write `erfc(x)`"),
    (&["gamma", "tgamma"], "write `tgamma(x)`"),
    (&["ln_gamma", "lgamma"], "write `lgamma(x)`"),
];

/// Types of Rust's library and of other languages.
const TYPES: &[Row] = &[
    (&["u128", "i128"], "use `u64` or `i64`, or two of them"),
    (&["isize"], "use `i32`"),
    (&["char"], "use `u32`, which holds any `char`"),
    (&["str", "String", "CStr", "CString", "OsString"], "pass the bytes of a text as a buffer, `&[u8]`"),
    (&["Option"], "write the type that it may hold, as in `Option<f32>`"),
    (&["Result"], "use an `Option`, as in `Option<f32>`"),
    (&["Rc", "Arc", "Box", "Cell", "RefCell", "Cow"], "use the type inside of it directly"),
    (&["Mutex", "RwLock"], "use `Atomic<u32>`"),
    (&["AtomicU32", "AtomicUsize", "AtomicBool"], "write `Atomic<u32>`"),
    (&["AtomicI32", "AtomicIsize"], "write `Atomic<i32>`"),
    (&["AtomicU64"], "write `Atomic<u64>`"),
    (&["AtomicI64"], "write `Atomic<i64>`"),
    (
        &["HashMap", "HashSet", "BTreeMap", "BTreeSet", "VecDeque", "BinaryHeap", "LinkedList"],
        "use an array, `[u32; 16]`, or a buffer",
    ),
    (&["Instant", "SystemTime", "Duration"], "measure on the host, around the launch and `device.wait()`"),
    (&["float"], "write `f32`"),
    (&["double"], "write `f64`"),
    (&["int"], "write `i32`"),
    (&["uint"], "write `u32`"),
];

/// Macros of Rust's.
const MACROS: &[Row] = &[
    (
        &["println", "print", "eprintln", "eprint", "dbg", "write", "writeln"],
        "write `debug!(\"{x}\")`, and `#[kernel(debug)]` to see the lines",
    ),
    (&["vec"], "write `let name = [0; 4];`"),
    (
        &[
            "assert",
            "assert_eq",
            "assert_ne",
            "debug_assert",
            "debug_assert_eq",
            "debug_assert_ne",
            "matches",
            "unreachable",
        ],
        "it is a macro: write a `!` after its name",
    ),
    (&["panic", "todo", "unimplemented"], "a kernel cannot stop: with `assert!` it says what is wrong, and goes on"),
    (&["format", "concat", "stringify"], "a kernel has no text: remove it"),
    (&["cfg"], "give the kernel a parameter or a constant to test"),
];

/// Methods of Rust's library that values of a kernel lack.
const METHODS: &[Row] = &[
    (&["clone", "cloned", "copied", "to_owned"], "remove it: all values of a kernel are copied"),
    (
        &["unwrap", "expect", "unwrap_or", "unwrap_or_default", "ok", "is_some", "is_none", "is_ok", "is_err"],
        "remove it: this is a value, and no `Option`",
    ),
    (&["into"], "write the type, as in `x as u32`"),
    (&["try_into"], "write the type, as in `u8::try_from(x).ok()`"),
    (&["to_string", "fmt", "as_str"], "a kernel has no text: write numbers to a buffer"),
    (&["to_le_bytes", "to_ne_bytes"], "take the bytes one by one, the lowest first: `(x >> 8) as u8`"),
    (&["to_be_bytes"], "take the bytes one by one, the highest first: `(x >> 24) as u8`"),
    (&["cmp", "partial_cmp", "total_cmp"], "compare with `<`, `==` and `>`"),
    (&["eq"], "write `==`"),
    (&["ne"], "write `!=`"),
    (&["iter", "iter_mut", "into_iter"], "count the elements: `for i in 0..x.len()`"),
    (&["get"], "test the index: `if i < x.len() { x[i] } else { 0.0 }`"),
    (&["get_unchecked", "get_mut", "first", "last"], "index it: `x[i]`"),
    (&["sort", "sort_unstable", "rotate_left", "rotate_right"], "do it in a loop: `for i in 0..x.len()`"),
    (&["ends_with"], "borrow the end, and ask it: `x[n..].starts_with(&y)`"),
    (&["push", "pop", "insert", "extend"], "a buffer and an array keep their length: store to `x[i]`"),
    (&["is_empty"], "write `x.len() == 0`"),
    (&["as_slice", "as_mut_slice", "as_ref", "as_mut", "as_ptr", "borrow"], "remove it"),
    (&["step_by", "rev", "map", "zip", "enumerate", "sum", "fold"], "write a loop: `for i in 0..n`"),
];

/// The modules of Rust's library that functions and types are taken from.
const MODULES: &str = "
    alloc any arch array ascii borrow boxed cell char clone cmp collections convert default env f32 f64 fmt fs hash
    hint i16 i32 i64 i8 intrinsics io iter marker mem num ops option panic primitive process ptr rc result simd
    slice str string sync thread time u16 u32 u64 u8 usize vec
";

fn row(table: &'static [Row], name: &str) -> Option<&'static str> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, write)| *write)
}

/// Whether other languages call a function so, and no helper can be.
pub fn is_function(name: &str) -> bool {
    row(GPU_FUNCTIONS, name).is_some()
}

/// What to write instead of a call of a function of this name.
pub fn function(name: &str, args: &[String]) -> Option<String> {
    let write = row(GPU_FUNCTIONS, name).or_else(|| row(GPU_VALUES, name)).or_else(|| row(FUNCTIONS, name));
    if let Some(write) = write {
        return Some(filled(write, args));
    }
    if let Some((lanes, _)) = vector(name) {
        return Some(filled(&format!("write `Vec{lanes}::new($*)`"), args));
    }
    // `sinf` of C is `sin`.
    let plain = name.strip_suffix('f').unwrap_or(name);
    let op = Op::from_method(plain, Scalar::F32).filter(|op| op.info().float == FloatClass::Library)?;
    let rest = if op.info().signature.arity().0 == 2 { "$1" } else { "" };
    Some(filled(&format!("write `$0.{plain}({rest})`"), args))
}

/// What to write instead of a method of this name on a float.
pub fn float_method(name: &str) -> Option<&'static str> {
    row(FLOAT_METHODS, name)
}

/// What to write instead of a variable of this name.
pub fn value(name: &str) -> Option<&'static str> {
    match name {
        // Those that are functions elsewhere as well.
        "threadIdx" | "blockIdx" | "gridDim" | "blockDim" => row(GPU_FUNCTIONS, name),
        _ => row(GPU_VALUES, name),
    }
}

/// What to write instead of a type of this name.
pub fn ty(name: &str) -> Option<String> {
    let vector = || vector(name).map(|(lanes, lane)| format!("write `Vec{lanes}<{lane}>`"));
    row(TYPES, name).map(str::to_owned).or_else(vector)
}

/// How many lanes a vector has that other languages write so, as `vec3`, `vec3f`, `ivec3`, `float3` or
/// `make_float3`, and their type.
fn vector(name: &str) -> Option<(char, &'static str)> {
    let kinds = [("ivec", "i32"), ("uvec", "u32"), ("vec", "f32"), ("float", "f32"), ("int", "i32"), ("uint", "u32")];
    let name = name.strip_prefix("make_").unwrap_or(name);
    let (rest, lane) = kinds.iter().find_map(|(kind, lane)| Some((name.strip_prefix(kind)?, *lane)))?;
    let lanes = rest.chars().next().filter(|lanes| ('2'..='4').contains(lanes))?;
    let lane = match &rest[1..] {
        "" => lane,
        "f" => "f32",
        "i" => "i32",
        "u" => "u32",
        _ => return None,
    };
    Some((lanes, lane))
}

/// What to write instead of a macro of this name.
pub fn macro_call(name: &str) -> Option<&'static str> {
    row(MACROS, name)
}

/// What to write instead of a method of this name, if no type has it.
pub fn method(name: &str) -> Option<&'static str> {
    row(METHODS, name)
}

/// Whether a path leads to Rust's own library, or to a type of it that nobody else has.
pub fn is_std(path: &syn::Path) -> bool {
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
    match segments.as_slice() {
        [krate, module, _, ..] => {
            ["std", "core", "alloc"].contains(&&**krate) && is_among(MODULES, module) || is_std_type(&segments)
        }
        _ => is_std_type(&segments),
    }
}

/// Whether a path is a function of a type of Rust's library: `Instant::now`, `HashMap::new`.
fn is_std_type(segments: &[String]) -> bool {
    let [.., owner, function] = segments else { return false };
    match owner.as_str() {
        "Instant" | "SystemTime" => function == "now",
        "Ordering" => order::is_order_name(function) || ["Less", "Equal", "Greater"].contains(&&**function),
        "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet" | "VecDeque" | "RefCell" | "Mutex" | "RwLock" | "Default"
        | "Ord" | "PartialOrd" | "Clone" | "Iterator" => true,
        "AtomicU32" | "AtomicUsize" | "AtomicBool" | "AtomicI32" | "AtomicU64" | "AtomicI64" => true,
        _ => false,
    }
}

/// Whether a path is a variant of an enum: nothing of a kernel's has a capital and small letters
/// behind a type. A variant in capitals alone looks like a constant, so the file must show the enum.
pub fn is_variant(path: &syn::Path) -> bool {
    let capital = |ident: &syn::Ident| ident.unraw().to_string().starts_with(|c: char| c.is_ascii_uppercase());
    let mixed = |ident: &syn::Ident| ident.unraw().to_string().contains(|c: char| c.is_ascii_lowercase());
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    match (names.next(), names.next()) {
        (Some(variant), Some(owner)) if capital(owner) && capital(variant) && !order::is_order(path) => {
            mixed(variant) || Around::is_variant(owner, variant)
        }
        _ => false,
    }
}

/// The enum of Rust's library that a name in scope everywhere is a variant of.
pub fn type_of_variant(name: &str) -> Option<&'static str> {
    match name {
        "Ok" | "Err" => Some("Result"),
        _ => None,
    }
}

/// What to write instead of an associated function of a number or of a type of Rust's library.
pub fn associated(owner: &str, name: &str, args: &[String]) -> Option<String> {
    Some(match (owner, name) {
        (_, "default") if !matches!(owner, "Vec" | "String" | "Option") => "write the value, such as `0`".to_owned(),
        ("Vec" | "VecDeque", _) => "an array has a fixed length: write `let name = [0u32; 4];`".to_owned(),
        ("String" | "CString", _) => "a kernel has no text: remove it".to_owned(),
        ("Box" | "Rc" | "Arc" | "Cell" | "RefCell", "new") => filled("write `$0`", args),
        ("Ordering", _) => "compare with `<`, `==` and `>`".to_owned(),
        (_, "try_from") if owner == "usize" || Scalar::from_name(owner).is_some() => {
            filled(&format!("write `{owner}::try_from($0).ok()`, which is an `Option`"), args)
        }
        (_, "from") if owner == "usize" || Scalar::from_name(owner).is_some() => {
            filled(&format!("write `$0 as {owner}`"), args)
        }
        (_, "from_le_bytes" | "from_ne_bytes") => {
            format!("join the bytes, the lowest first: `a as {owner} | (b as {owner}) << 8`")
        }
        (_, "from_be_bytes") => format!("join the bytes, the highest first: `(a as {owner}) << 8 | b as {owner}`"),
        (_, "from_str_radix") => "a kernel has no text: pass the number".to_owned(),
        _ => return ty(owner),
    })
}

/// A help with the arguments of the call in it.
fn filled(write: &str, args: &[String]) -> String {
    let mut text = String::new();
    let mut rest = write;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        let which = after.chars().next().unwrap_or(' ');
        let shown = match which {
            '*' if args.is_empty() => "…".to_owned(),
            '*' => args.join(", "),
            '-' => args.last().cloned().unwrap_or_else(|| "value".to_owned()),
            digit => {
                let at = digit.to_digit(10).unwrap_or(0) as usize;
                args.get(at).cloned().unwrap_or_else(|| ["a", "b", "c"][at.min(2)].to_owned())
            }
        };
        // Before a method or an operator a compound operand needs parentheses.
        let operand = after[1..].starts_with(['.']) || after[1..].starts_with(" as ") || after[1..].starts_with(" +");
        let operand = operand || after[1..].starts_with(" -") || before.ends_with("- ") || before.ends_with("* ");
        text.push_str(&if operand && is_compound(&shown) { format!("({shown})") } else { shown });
        rest = &after[1..];
    }
    text + rest
}

/// Whether an operand binds less than a method does.
pub fn is_compound(shown: &str) -> bool {
    let mut depth = 0;
    shown.starts_with(['-', '!', '*', '&'])
        || shown.chars().any(|c| {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            c == ' ' && depth == 0
        })
}

/// The longest argument that a help shows.
const LONGEST: usize = 40;

/// The arguments of a call as a help shows them, without `&`; none if they are too long for it.
pub fn arguments<'a>(args: impl IntoIterator<Item = &'a syn::Expr>) -> Vec<String> {
    let shown = |mut arg: &syn::Expr| {
        while let syn::Expr::Reference(syn::ExprReference { expr, .. })
        | syn::Expr::Group(syn::ExprGroup { expr, .. }) = arg
        {
            arg = expr;
        }
        spell::expression(arg)
    };
    let args: Vec<String> = args.into_iter().map(shown).collect();
    let short = args.iter().map(String::len).sum::<usize>() <= LONGEST;
    if short { args } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(args: &[&str]) -> Vec<String> {
        args.iter().map(|&arg| arg.to_owned()).collect()
    }

    #[test]
    fn a_help_holds_the_arguments() {
        assert_eq!(function("swap", &args(&["a", "b"])).as_deref(), Some("write `(a, b) = (b, a)`"));
        assert_eq!(function("atomicAdd", &args(&["c[0]", "1"])).as_deref(), Some("write `c[0].fetch_add(1)`"));
        assert_eq!(function("fabs", &args(&["a + b"])).as_deref(), Some("write `(a + b).abs()`"));
        assert_eq!(
            function("__shfl_down_sync", &args(&["m", "v", "1"])).as_deref(),
            Some("write `subgroup_shuffle_down(v, 1)`")
        );
        assert_eq!(associated("u32", "from", &args(&["a < b"])).as_deref(), Some("write `(a < b) as u32`"));
    }

    #[test]
    fn without_arguments_a_help_has_letters() {
        assert_eq!(function("swap", &[]).as_deref(), Some("write `(a, b) = (b, a)`"));
        assert_eq!(function("vec3", &[]).as_deref(), Some("write `Vec3::new(…)`"));
    }

    #[test]
    fn no_name_is_in_a_table_twice() {
        for table in [GPU_FUNCTIONS, GPU_VALUES, FUNCTIONS, TYPES, MACROS, METHODS] {
            let mut names: Vec<&str> = table.iter().flat_map(|(names, _)| names.iter().copied()).collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }

    #[test]
    fn paths_of_the_library_are_known() {
        for (text, std) in [
            ("std::mem::swap", true),
            ("core::cmp::max", true),
            ("::std::thread::sleep", true),
            ("core::helper", false),
            ("Instant::now", true),
            ("Cell::new", false),
            ("math::max", false),
        ] {
            let path: syn::Path = syn::parse_str(text).unwrap_or_else(|_| panic!("{text} is no path"));
            assert_eq!(is_std(&path), std, "{text}");
        }
    }

    #[test]
    fn variants_are_told_from_constants() {
        for (text, variant) in
            [("Op::Add", true), ("ops::Op::Add", true), ("Mat2::IDENTITY", false), ("math::Unit", false), ("Op", false)]
        {
            let path: syn::Path = syn::parse_str(text).unwrap_or_else(|_| panic!("{text} is no path"));
            assert_eq!(is_variant(&path), variant, "{text}");
        }
    }
}
