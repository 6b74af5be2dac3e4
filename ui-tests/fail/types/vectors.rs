//! Vectors of other lanes, and their parts.
use samebits::prelude::*;

#[kernel]
fn k(v: &[Vec3<f32>], n: &[Vec3<i32>], y: &mut [Vec2<f32>]) {
    y[0] = v[0];
//~        ^ V200
    y[1] = v[0].xy() + Vec2::new(1u32, 2);
//~                  ^ V021
    y[2].z = 1.0;
//~      ^ V203
    let w = n[0].normalize();
//~              ^ V203
    let w = v[0].normalise();
//~              ^ V203
    let n3 = Vec3::new(1.0, 2.0);
//~          ^ V204
    let c = v[0] < v[1];
//~              ^ V021
    let c = v[0] == n[0];
//~              ^ V021
    let d = v[0] as Vec3<u32>;
//~         ^ V012
    let e = v[0].cast::<usize>();
//~                     ^ V201
    let e = v[0].cast::<f32, f32>();
//~         ^ V204
    let f = Vec3::from((v[0].xy(), 1));
//~                    ^ V200
    let f = Vec4::from((v[0].xy(), 1.0));
//~                    ^ V200
    let g = y[0].cross(y[1]);
//~              ^ V203
    let h = v[0].lerp(v[1], v[0]);
//~                         ^ V200
    let h = v[0].extend(1).extend(2.0);
//~                     ^ V200
//~                        ^ V203
    let z = n[0].xy().x.extend(2);
//~                     ^ V203
}

fn main() {}
