//! Vulkan devices: what they report, and how they are opened with what wgpu leaves switched off.
//!
//! wgpu switches on what its own shaders can use. The modules of `samebits_ir::backend::spirv` use
//! more: the Vulkan memory model, memory of 8 and 16 bits, atomics of floats. All of it is switched
//! on where it is reported, and nothing else: a module may rely on every `true` of [`Reported`].
//!
//! This needs Vulkan 1.2. Older devices are opened by wgpu alone, and have kernels from naga.

use super::reported::{FloatSums, MEMORY_MODEL, Reported};
use ash::{ext, khr, vk};
use samebits_ir::backend::spirv::Widths;
use std::ffi::{CStr, c_char};
use wgpu::hal::api::Vulkan;
use wgpu::{Device, DeviceDescriptor, Features, Queue};

/// What the device of an adapter reports; `None` if it is not one of Vulkan 1.2 or later, or
/// does not take SPIR-V.
pub(super) fn report(adapter: &wgpu::Adapter) -> Option<Reported> {
    let wgpu_features = adapter.features();
    if !wgpu_features.contains(Features::PASSTHROUGH_SHADERS) {
        return None;
    }
    // SAFETY: no handle is destroyed, and the driver is only asked.
    let hal = unsafe { adapter.as_hal::<Vulkan>() }?;
    let capabilities = hal.physical_device_capabilities();
    let properties = capabilities.properties();
    let shared = hal.shared_instance();
    let version = properties.api_version.min(shared.instance_api_version());
    if version < vk::API_VERSION_1_2 {
        return None;
    }
    let (instance, device) = (shared.raw_instance(), hal.raw_physical_device());

    let mut properties12 = vk::PhysicalDeviceVulkan12Properties::default();
    let mut asked = vk::PhysicalDeviceProperties2::default().push_next(&mut properties12);
    // SAFETY: the device is one of this instance. Both are of Vulkan 1.2, to which the function
    // and the structures belong; the structures are the driver's alone during the call.
    unsafe { instance.get_physical_device_properties2(device, &mut asked) };

    let float_atomics = capabilities.supports_extension(ext::shader_atomic_float::NAME);
    let matrices = capabilities.supports_extension(khr::cooperative_matrix::NAME);
    let mut features11 = vk::PhysicalDeviceVulkan11Features::default();
    let mut features12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut sums = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default();
    let mut matrix = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default();
    let mut asked = vk::PhysicalDeviceFeatures2::default().push_next(&mut features11).push_next(&mut features12);
    if float_atomics {
        asked = asked.push_next(&mut sums);
    }
    if matrices {
        asked = asked.push_next(&mut matrix);
    }
    // SAFETY: as above; the last two structures are asked for where their extension exists.
    unsafe { instance.get_physical_device_features2(device, &mut asked) };

    let yes = |bit: vk::Bool32| bit == vk::TRUE;
    let p = &properties12;
    let sum = |atomics, add| yes(atomics) && yes(add);
    let has = |feature| wgpu_features.contains(feature);
    Some(Reported {
        api: [vk::api_version_major(version), vk::api_version_minor(version)],
        driver: driver(&p.driver_name, &p.driver_info),
        version: properties.driver_version,
        build: properties.pipeline_cache_uuid,
        rounding: identical(
            p.rounding_mode_independence,
            [
                p.shader_rounding_mode_rte_float16,
                p.shader_rounding_mode_rte_float32,
                p.shader_rounding_mode_rte_float64,
            ],
        ),
        subnormals: identical(
            p.denorm_behavior_independence,
            [p.shader_denorm_preserve_float16, p.shader_denorm_preserve_float32, p.shader_denorm_preserve_float64],
        ),
        memory_model: yes(features12.vulkan_memory_model)
            && yes(features12.vulkan_memory_model_device_scope)
            && (!matrices || yes(matrix.cooperative_matrix)),
        storage8: yes(features12.storage_buffer8_bit_access),
        storage16: yes(features11.storage_buffer16_bit_access),
        int8: yes(features12.shader_int8),
        int16: has(Features::SHADER_I16),
        int64: has(Features::SHADER_INT64),
        float16: has(Features::SHADER_F16),
        float64: has(Features::SHADER_F64),
        atomic64: has(Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS),
        float_sums: FloatSums {
            buffer_f32: sum(sums.shader_buffer_float32_atomics, sums.shader_buffer_float32_atomic_add),
            shared_f32: sum(sums.shader_shared_float32_atomics, sums.shader_shared_float32_atomic_add),
            buffer_f64: sum(sums.shader_buffer_float64_atomics, sums.shader_buffer_float64_atomic_add),
            shared_f64: sum(sums.shader_shared_float64_atomics, sums.shader_shared_float64_atomic_add),
        },
        subgroup_extended_types: yes(features12.shader_subgroup_extended_types),
    })
}

/// Opens the device of an adapter: with all that it has reported, or as wgpu does if it has
/// reported nothing.
///
/// # Errors
///
/// What the driver refuses, in wgpu's words.
pub(super) fn open(
    adapter: &wgpu::Adapter,
    reported: Option<&Reported>,
    descriptor: &DeviceDescriptor<'_>,
) -> Result<(Device, Queue), String> {
    let Some(reported) = reported else {
        return pollster::block_on(adapter.request_device(descriptor)).map_err(|error| error.to_string());
    };
    let mut features = descriptor.required_features;
    features.set(MEMORY_MODEL, reported.memory_model);
    let mut storage8 = vk::PhysicalDevice8BitStorageFeatures::default().storage_buffer8_bit_access(true);
    let mut storage16 = vk::PhysicalDevice16BitStorageFeatures::default().storage_buffer16_bit_access(true);
    let mut subgroups =
        vk::PhysicalDeviceShaderSubgroupExtendedTypesFeatures::default().shader_subgroup_extended_types(true);
    let FloatSums { buffer_f32, shared_f32, buffer_f64, shared_f64 } = reported.float_sums;
    let mut sums = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default()
        .shader_buffer_float32_atomics(buffer_f32)
        .shader_buffer_float32_atomic_add(buffer_f32)
        .shader_shared_float32_atomics(shared_f32)
        .shader_shared_float32_atomic_add(shared_f32)
        .shader_buffer_float64_atomics(buffer_f64)
        .shader_buffer_float64_atomic_add(buffer_f64)
        .shader_shared_float64_atomics(shared_f64)
        .shader_shared_float64_atomic_add(shared_f64);
    // wgpu switches memory of 16 bits on itself, with either of these.
    let storage16_is_on = features.intersects(Features::SHADER_F16 | Features::SHADER_I16);
    let more: Box<wgpu::hal::vulkan::CreateDeviceCallback<'_>> = Box::new(|args| {
        let mut info = *args.create_info;
        if reported.storage8 {
            info = info.push_next(&mut storage8);
        }
        if reported.storage16 && !storage16_is_on {
            info = info.push_next(&mut storage16);
        }
        if reported.subgroup_extended_types {
            info = info.push_next(&mut subgroups);
        }
        if reported.float_sums != FloatSums::default() {
            args.extensions.push(ext::shader_atomic_float::NAME);
            info = info.push_next(&mut sums);
        }
        *args.create_info = info;
    });
    // SAFETY: no handle is destroyed.
    let hal = unsafe { adapter.as_hal::<Vulkan>() }.ok_or("it is no device of Vulkan's")?;
    // SAFETY:
    // - The features and limits are ones that the adapter has: wgpu reports those of the descriptor,
    //   and the driver reports what `MEMORY_MODEL` switches on.
    // - The callback adds only what this driver has reported, with the extension that it needs. wgpu
    //   adds none of these structures itself with the features above, so that each occurs once.
    let opened =
        unsafe { hal.open_with_callback(features, &descriptor.required_limits, &descriptor.memory_hints, Some(more)) };
    let opened = opened.map_err(|error| error.to_string())?;
    drop(hal);
    // SAFETY: the device was just opened from this adapter, with the features of the descriptor and
    // more.
    unsafe { adapter.create_device_from_hal(opened, descriptor) }.map_err(|error| error.to_string())
}

/// The widths of 16, 32 and 64 bits for which a module may ask for a mode that these have. Where
/// widths cannot differ, none has it unless all have.
fn identical(independence: vk::ShaderFloatControlsIndependence, has: [vk::Bool32; 3]) -> Widths {
    let [mut half, mut single, mut double] = has.map(|bit| bit == vk::TRUE);
    if independence != vk::ShaderFloatControlsIndependence::ALL {
        (half, double) = (half && double, half && double);
        if independence != vk::ShaderFloatControlsIndependence::TYPE_32_ONLY {
            let all = half && single;
            (half, single, double) = (all, all, all);
        }
    }
    Widths { half, single, double }
}

/// The driver's name and version.
fn driver(name: &[c_char], info: &[c_char]) -> String {
    let text = |chars: &[c_char]| {
        let bytes: Vec<u8> = chars.iter().map(|&c| c as u8).collect();
        CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned())
    };
    let (name, info) = (text(name), text(info));
    if info.is_empty() { name } else { format!("{name} {info}") }
}
