//! What stands for `samebits::prelude` in the generated crate of plain functions: enough
//! for rustc to type-check the same bodies, and to borrow-check them.
#![allow(missing_docs)]

use std::ops::{Add, Mul, Sub};

#[derive(Clone, Copy)]
pub struct Id {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}

pub fn global_id() -> Id {
    std::process::abort()
}

pub fn local_id() -> Id {
    std::process::abort()
}

pub fn shared<T>() -> T {
    std::process::abort()
}

pub fn workgroup_barrier() {}

pub struct Atomic<T>(T);

impl<T: Copy> Atomic<T> {
    pub fn fetch_add(&self, _: T) -> T {
        self.0
    }

    pub fn fetch_max(&self, _: T) -> T {
        self.0
    }
}

#[derive(Clone, Copy)]
pub struct Vec4<T> {
    pub x: T,
    pub y: T,
    pub z: T,
    pub w: T,
}

impl<T: Copy> Vec4<T> {
    pub fn splat(x: T) -> Self {
        Self { x, y: x, z: x, w: x }
    }

    pub fn wzyx(self) -> Self {
        Self { x: self.w, y: self.z, z: self.y, w: self.x }
    }
}

impl Vec4<f32> {
    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x
    }

    pub fn abs(self) -> Self {
        self
    }

    pub fn min(self, _: Self) -> Self {
        self
    }
}

impl<T: Add<Output = T>> Add for Vec4<T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z, w: self.w + other.w }
    }
}

impl<T: Sub<Output = T>> Sub for Vec4<T> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z, w: self.w - other.w }
    }
}

impl<T: Mul<Output = T>> Mul for Vec4<T> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z, w: self.w * other.w }
    }
}

impl<T: Mul<Output = T> + Copy> Mul<T> for Vec4<T> {
    type Output = Self;

    fn mul(self, other: T) -> Self {
        Self { x: self.x * other, y: self.y * other, z: self.z * other, w: self.w * other }
    }
}
