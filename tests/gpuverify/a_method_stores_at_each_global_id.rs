//! race-free

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Value {
    value: i32,
}

#[device]
impl Value {
    fn store(&self, y: &mut [i32]) {
        y[global_id().x] = self.value;
    }
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn k(value: Value, y: &mut [i32]) {
    value.store(y);
}
