//! Data of other crates to buffers and back: every element in its place, and a clear error for what has none.
#![cfg(all(
    feature = "arrow",
    feature = "f16",
    feature = "glam",
    feature = "image",
    feature = "nalgebra",
    feature = "ndarray"
))]

use arrow_array::types::{Float16Type, Float32Type, UInt32Type};
use arrow_array::{Array as _, Float16Array, Float32Array, Int8Array, UInt32Array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use bytemuck::Zeroable;
use image::{ImageBuffer, Luma, LumaA, Rgb, RgbImage, Rgba};
use ndarray::{Array, Array1, Array2, Array3, ArrayD, IxDyn, ShapeBuilder, arr0, s};
use samebits::data;
use samebits::data::linear::Twin;
use samebits::prelude::*;
use std::fmt::Debug;

/// The message of an error.
fn message<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => panic!("it is accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn arrays_of_any_dimension_keep_their_order() {
    for device in Device::all() {
        let array = Array3::from_shape_fn((2, 3, 5), |(i, j, k)| (100 * i + 10 * j + k) as u16);
        let buffer = data::ndarray::upload(&device, &array).unwrap();
        assert_eq!(buffer.read().unwrap()[29], 124);
        assert_eq!(data::ndarray::read(&buffer, (2, 3, 5)).unwrap(), array);
        assert_eq!(data::ndarray::read(&buffer, IxDyn(&[2, 3, 5])).unwrap(), array.into_dyn());
    }
}

#[test]
fn arrays_of_structures_are_arrays_too() {
    let array = Array2::from_shape_fn((2, 2), |(i, j)| Vec3::new(i as f64, j as f64, 0.5));
    let buffer = data::ndarray::upload(&Device::cpu(), &array).unwrap();
    assert_eq!(data::ndarray::read(&buffer, (2, 2)).unwrap(), array);
}

#[test]
fn arrays_without_a_dimension_or_without_elements_have_buffers() {
    let device = Device::interpreter();
    let one = data::ndarray::upload(&device, &arr0(7u32)).unwrap();
    assert_eq!(data::ndarray::read(&one, ()).unwrap(), arr0(7));
    let none = data::ndarray::upload(&device, &Array2::<u32>::zeros((0, 3))).unwrap();
    assert_eq!(data::ndarray::read(&none, (0, 3)).unwrap().dim(), (0, 3));
}

#[test]
fn an_array_that_is_not_in_standard_layout_is_refused() {
    let device = Device::interpreter();
    let array = Array2::<f32>::zeros((4, 3));
    let columns = Array2::<f32>::zeros((4, 3).f());
    let mut buffer = device.zeros::<f32>(12).unwrap();
    let expected = |shape: &str| {
        format!(
            "an array of shape {shape} is not in standard layout, in which the last index runs fastest and no element is left out; copy it with `as_standard_layout()`"
        )
    };
    assert_eq!(message(data::ndarray::upload(&device, &array.t())), expected("[3, 4]"));
    assert_eq!(message(data::ndarray::upload(&device, &columns)), expected("[4, 3]"));
    assert_eq!(message(data::ndarray::write(&mut buffer, 0, &array.slice(s![..;2, ..]))), expected("[2, 3]"));
    let mut reversed = array.clone();
    assert_eq!(message(data::ndarray::read_into(&buffer, &mut reversed.slice_mut(s![..;-1, ..]))), expected("[4, 3]"));
}

#[test]
fn a_shape_of_another_number_of_elements_is_refused() {
    let buffer = Device::interpreter().zeros::<u8>(6).unwrap();
    assert_eq!(message(data::ndarray::read(&buffer, (4, 2))), "an array of shape [4, 2] is not made of 6 elements");
    // A product that wraps to 6 is not 6.
    let half = 1usize << 63;
    assert!(data::ndarray::read(&buffer, IxDyn(&[half, 2, 6])).is_err());
    let mut array = Array1::<u8>::zeros(5);
    assert_eq!(message(data::ndarray::read_into(&buffer, &mut array)), message(buffer.read_into(&mut [0; 5])));
}

#[test]
fn parts_of_buffers_are_read_and_written_as_arrays() {
    let device = Device::interpreter();
    let mut buffer = device.zeros::<i32>(8).unwrap();
    let array = Array::from_shape_fn((2, 2), |(i, j)| (i * 2 + j) as i32 + 1);
    data::ndarray::write(&mut buffer.slice_mut(2..7).unwrap(), 1, &array).unwrap();
    assert_eq!(buffer.read().unwrap(), [0, 0, 0, 1, 2, 3, 4, 0]);
    assert_eq!(data::ndarray::read(&buffer.slice(3..7).unwrap(), (2, 2)).unwrap(), array);
    let mut read = ArrayD::zeros(IxDyn(&[4, 1]));
    data::ndarray::read_into(&buffer.slice(3..7).unwrap(), &mut read).unwrap();
    assert_eq!(read.into_raw_vec_and_offset().0, [1, 2, 3, 4]);
    assert!(data::ndarray::write(&mut buffer, 5, &array).is_err());
}

#[test]
fn an_arrow_array_comes_back_on_each_device() {
    for device in Device::all() {
        let column = Float32Array::from(vec![1.5, -0.0, f32::INFINITY, 3.25, 8.0]);
        let part = column.slice(1, 3);
        let buffer = data::arrow::upload(&device, &part).unwrap();
        assert_eq!(data::arrow::read::<Float32Type>(&buffer).unwrap(), part);
        assert!(data::arrow::read::<Float32Type>(&buffer).unwrap().nulls().is_none());
    }
}

#[test]
fn halves_of_arrow_are_elements() {
    let column = Float16Array::from(vec![f16::from_f32(0.5), f16::MAX]);
    let buffer = data::arrow::upload(&Device::interpreter(), &column).unwrap();
    assert_eq!(data::arrow::read::<Float16Type>(&buffer).unwrap(), column);
}

#[test]
fn an_arrow_array_with_nulls_is_refused() {
    let device = Device::interpreter();
    let column = Int8Array::from(vec![Some(1), None, Some(2), None]);
    assert_eq!(
        message(data::arrow::upload(&device, &column)),
        "2 of the 4 numbers of an array are null; fill them in first, or use `upload_with_nulls`"
    );
    // The part has none.
    assert_eq!(data::arrow::upload(&device, &column.slice(2, 1)).unwrap().read().unwrap(), [2]);
}

#[test]
fn nulls_are_bits_that_are_not_set_and_numbers_that_are_zero() {
    let device = Device::interpreter();
    let is_there = |i: usize| i % 3 != 1;
    // Arrow may have any number where there is none.
    let values = ScalarBuffer::from_iter((0..70u32).map(|i| i + 1000));
    let nulls = NullBuffer::from_iter((0..70).map(is_there));
    let column = UInt32Array::new(values, Some(nulls)).slice(3, 66);
    let (numbers, there) = data::arrow::upload_with_nulls(&device, &column).unwrap();
    let expected: Vec<u32> = (3..69).map(|i| if is_there(i) { i as u32 + 1000 } else { 0 }).collect();
    assert_eq!(numbers.read().unwrap(), expected);
    let bit = |i: usize| u32::from(i < 66 && is_there(i + 3)) << (i % 32);
    let expected: Vec<u32> = (0..3).map(|word| (32 * word..32 * word + 32).map(bit).sum()).collect();
    assert_eq!(there.read().unwrap(), expected);
    assert_eq!(data::arrow::read_with_nulls::<UInt32Type>(&numbers, &there).unwrap(), column);
}

#[test]
fn an_array_that_has_all_its_numbers_has_all_its_bits() {
    let device = Device::interpreter();
    let column = UInt32Array::from(vec![5; 33]);
    let (numbers, there) = data::arrow::upload_with_nulls(&device, &column).unwrap();
    assert_eq!(there.read().unwrap(), [u32::MAX, 1]);
    assert!(data::arrow::read_with_nulls::<UInt32Type>(&numbers, &there).unwrap().nulls().is_none());
    let (numbers, there) = data::arrow::upload_with_nulls(&device, &UInt32Array::from(Vec::<u32>::new())).unwrap();
    assert_eq!((numbers.len(), there.len()), (0, 0));
    assert_eq!(data::arrow::read_with_nulls::<UInt32Type>(&numbers, &there).unwrap().len(), 0);
}

#[test]
fn words_of_nulls_are_as_many_as_the_numbers_need() {
    let device = Device::interpreter();
    let (numbers, there) = (device.zeros::<u32>(33).unwrap(), device.zeros::<u32>(1).unwrap());
    assert_eq!(
        message(data::arrow::read_with_nulls::<UInt32Type>(&numbers, &there)),
        "1 words cannot say which of 33 numbers are null; 2 are needed"
    );
}

#[test]
fn pixels_of_each_kind_are_elements_row_by_row() {
    for device in Device::all() {
        let image = RgbImage::from_fn(5, 3, |x, y| Rgb([x as u8, y as u8, 200]));
        let pixels = data::image::upload(&device, &image).unwrap();
        let expected: Vec<Vec3<u8>> = (0..15).map(|i| Vec3::new(i % 5, i / 5, 200)).collect();
        assert_eq!(pixels.read().unwrap(), expected);
        assert_eq!(data::image::read::<Rgb<u8>>(&pixels, 5, 3).unwrap(), image);

        let image = ImageBuffer::from_fn(2, 3, |x, y| Rgba([x as f32, y as f32, 0.5, -1.0]));
        let pixels = data::image::upload(&device, &image).unwrap();
        assert_eq!(pixels.read().unwrap()[3], Vec4::new(1.0, 1.0, 0.5, -1.0));
        assert_eq!(data::image::read::<Rgba<f32>>(&pixels, 2, 3).unwrap(), image);

        let image = ImageBuffer::from_fn(3, 1, |x, _| LumaA([x as u16, 65535]));
        let pixels = data::image::upload(&device, &image).unwrap();
        assert_eq!(pixels.read().unwrap()[2], Vec2::new(2, 65535));
        assert_eq!(data::image::read::<LumaA<u16>>(&pixels, 3, 1).unwrap(), image);

        let image = ImageBuffer::from_fn(1, 3, |_, y| Luma([y as u8]));
        let pixels = data::image::upload(&device, &image).unwrap();
        assert_eq!(pixels.read().unwrap(), [0, 1, 2]);
        assert_eq!(data::image::read::<Luma<u8>>(&pixels, 1, 3).unwrap(), image);
    }
}

#[test]
fn samples_behind_the_last_pixel_are_left_out() {
    let image: ImageBuffer<Luma<u8>, Vec<u8>> = ImageBuffer::from_raw(2, 1, vec![1, 2, 3, 4]).unwrap();
    assert_eq!(data::image::upload(&Device::interpreter(), &image).unwrap().read().unwrap(), [1, 2]);
}

#[test]
fn a_borrowed_image_is_an_image() {
    let samples = [1u8, 2, 3, 4, 5, 6];
    let image: ImageBuffer<Rgb<u8>, &[u8]> = ImageBuffer::from_raw(1, 2, &samples[..]).unwrap();
    let pixels = data::image::upload(&Device::interpreter(), &image).unwrap();
    assert_eq!(pixels.read().unwrap(), [Vec3::new(1, 2, 3), Vec3::new(4, 5, 6)]);
}

#[test]
fn an_image_of_another_number_of_pixels_is_refused() {
    let pixels = Device::interpreter().zeros::<Vec3<u8>>(6).unwrap();
    let expected = "an image of 4294967295 by 4294967295 pixels is not made of 6 elements";
    assert_eq!(message(data::image::read::<Rgb<u8>>(&pixels, u32::MAX, u32::MAX)), expected);
}

/// Sends a vector or matrix through a device, in slices, and through the conversions.
fn assert_twins<T>(twin: T, element: T::Element)
where
    T: Twin + Into<T::Element> + PartialEq + Debug,
    T::Element: Into<T> + PartialEq + Debug,
{
    for device in [Device::cpu(), Device::interpreter()] {
        let mut buffer = data::linear::upload(&device, &[twin, twin]).unwrap();
        assert_eq!(buffer.read().unwrap(), [element, element]);
        buffer.fill(T::Element::zeroed()).unwrap();
        data::linear::write(&mut buffer, 1, &[twin]).unwrap();
        assert_eq!(data::linear::read::<T>(&buffer).unwrap(), [T::zeroed(), twin]);
        assert!(data::linear::write(&mut buffer, 2, &[twin]).is_err());
    }
    assert_eq!(twin.into(), element);
    assert_eq!(element.into(), twin);
}

#[test]
fn vectors_and_matrices_of_glam_are_elements() {
    let numbers: [f32; 16] = std::array::from_fn(|i| i as f32 + 0.5);
    let doubles: [f64; 16] = numbers.map(f64::from);
    let first = |n: usize| numbers[..n].to_vec();
    let doubles_first = |n: usize| doubles[..n].to_vec();
    assert_twins(glam::vec2(1.0, 2.0), Vec2::new(1.0f32, 2.0));
    assert_twins(glam::vec3(1.0, 2.0, 3.0), Vec3::new(1.0f32, 2.0, 3.0));
    assert_twins(glam::vec4(1.0, 2.0, 3.0, 4.0), Vec4::new(1.0f32, 2.0, 3.0, 4.0));
    assert_twins(glam::dvec2(1.0, 2.0), Vec2::new(1.0f64, 2.0));
    assert_twins(glam::dvec3(1.0, 2.0, 3.0), Vec3::new(1.0f64, 2.0, 3.0));
    assert_twins(glam::dvec4(1.0, 2.0, 3.0, 4.0), Vec4::new(1.0f64, 2.0, 3.0, 4.0));
    assert_twins(glam::i8vec2(-1, 2), Vec2::new(-1i8, 2));
    assert_twins(glam::i8vec3(-1, 2, 3), Vec3::new(-1i8, 2, 3));
    assert_twins(glam::i8vec4(-1, 2, 3, 4), Vec4::new(-1i8, 2, 3, 4));
    assert_twins(glam::u8vec2(1, 2), Vec2::new(1u8, 2));
    assert_twins(glam::u8vec3(1, 2, 3), Vec3::new(1u8, 2, 3));
    assert_twins(glam::u8vec4(1, 2, 3, 4), Vec4::new(1u8, 2, 3, 4));
    assert_twins(glam::i16vec2(-1, 2), Vec2::new(-1i16, 2));
    assert_twins(glam::i16vec3(-1, 2, 3), Vec3::new(-1i16, 2, 3));
    assert_twins(glam::i16vec4(-1, 2, 3, 4), Vec4::new(-1i16, 2, 3, 4));
    assert_twins(glam::u16vec2(1, 2), Vec2::new(1u16, 2));
    assert_twins(glam::u16vec3(1, 2, 3), Vec3::new(1u16, 2, 3));
    assert_twins(glam::u16vec4(1, 2, 3, 4), Vec4::new(1u16, 2, 3, 4));
    assert_twins(glam::ivec2(-1, 2), Vec2::new(-1i32, 2));
    assert_twins(glam::ivec3(-1, 2, 3), Vec3::new(-1i32, 2, 3));
    assert_twins(glam::ivec4(-1, 2, 3, 4), Vec4::new(-1i32, 2, 3, 4));
    assert_twins(glam::uvec2(1, 2), Vec2::new(1u32, 2));
    assert_twins(glam::uvec3(1, 2, 3), Vec3::new(1u32, 2, 3));
    assert_twins(glam::uvec4(1, 2, 3, 4), Vec4::new(1u32, 2, 3, 4));
    assert_twins(glam::i64vec2(-1, 2), Vec2::new(-1i64, 2));
    assert_twins(glam::i64vec3(-1, 2, 3), Vec3::new(-1i64, 2, 3));
    assert_twins(glam::i64vec4(-1, 2, 3, 4), Vec4::new(-1i64, 2, 3, 4));
    assert_twins(glam::u64vec2(1, 2), Vec2::new(1u64, 2));
    assert_twins(glam::u64vec3(1, 2, 3), Vec3::new(1u64, 2, 3));
    assert_twins(glam::u64vec4(1, 2, 3, 4), Vec4::new(1u64, 2, 3, 4));
    assert_twins(glam::Mat2::from_cols_slice(&first(4)), Mat2::from_cols_array([0.5f32, 1.5, 2.5, 3.5]));
    assert_twins(glam::Mat3::from_cols_slice(&first(9)), Mat3::from_cols_array(std::array::from_fn(|i| numbers[i])));
    assert_twins(glam::Mat4::from_cols_slice(&first(16)), Mat4::from_cols_array(numbers));
    assert_twins(glam::DMat2::from_cols_slice(&doubles_first(4)), Mat2::from_cols_array([0.5f64, 1.5, 2.5, 3.5]));
    assert_twins(
        glam::DMat3::from_cols_slice(&doubles_first(9)),
        Mat3::from_cols_array(std::array::from_fn(|i| doubles[i])),
    );
    assert_twins(glam::DMat4::from_cols_slice(&doubles_first(16)), Mat4::from_cols_array(doubles));
}

#[test]
fn vectors_and_matrices_of_nalgebra_are_elements() {
    let numbers: [f32; 16] = std::array::from_fn(|i| i as f32 + 0.5);
    assert_twins(nalgebra::Vector2::new(1u8, 2), Vec2::new(1u8, 2));
    assert_twins(nalgebra::Vector3::new(1i64, -2, 3), Vec3::new(1i64, -2, 3));
    assert_twins(nalgebra::Vector4::new(1.0f32, 2.0, 3.0, 4.0), Vec4::new(1.0f32, 2.0, 3.0, 4.0));
    assert_twins(nalgebra::Vector3::new(f16::ONE, f16::MAX, f16::ZERO), Vec3::new(f16::ONE, f16::MAX, f16::ZERO));
    // Its constructor takes rows.
    assert_twins(nalgebra::Matrix2::new(1.0f64, 2.0, 3.0, 4.0), Mat2::from_cols_array([1.0f64, 3.0, 2.0, 4.0]));
    assert_twins(
        nalgebra::Matrix3::from_column_slice(&numbers[..9]),
        Mat3::from_cols_array(std::array::from_fn(|i| numbers[i])),
    );
    assert_twins(nalgebra::Matrix4::from_column_slice(&numbers), Mat4::from_cols_array(numbers));
}

#[test]
fn products_of_matrices_agree_where_they_are_exact() {
    // Whole numbers, so that no crate rounds.
    let a: [f32; 16] = std::array::from_fn(|i| (i * 7 % 11) as f32);
    let v = [1.0f32, -2.0, 3.0, 5.0];
    let ours = (Mat4::from_cols_array(a) * Vec4::from_array(v)).to_array();
    assert_eq!((glam::Mat4::from_cols_array(&a) * glam::Vec4::from_array(v)).to_array(), ours);
    let theirs = nalgebra::Matrix4::from_column_slice(&a) * nalgebra::Vector4::from(v);
    assert_eq!(theirs.as_slice(), ours);
}
