// A file without imports of its own, which another includes.

/// Calls what only the file around this one imports.
#[kernel(workgroup_size(1))]
pub fn of_another_file(o: &mut [u32]) {
    o[0] = tripled(5) + threefold(2);
}
