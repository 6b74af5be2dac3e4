//! A kernel that calls more helpers than one function can link.
use samebits::prelude::*;

#[device]
fn h0(x: f32) -> f32 {
    x + 0.0
}

#[device]
fn h1(x: f32) -> f32 {
    x + 1.0
}

#[device]
fn h2(x: f32) -> f32 {
    x + 2.0
}

#[device]
fn h3(x: f32) -> f32 {
    x + 3.0
}

#[device]
fn h4(x: f32) -> f32 {
    x + 4.0
}

#[device]
fn h5(x: f32) -> f32 {
    x + 5.0
}

#[device]
fn h6(x: f32) -> f32 {
    x + 6.0
}

#[device]
fn h7(x: f32) -> f32 {
    x + 7.0
}

#[device]
fn h8(x: f32) -> f32 {
    x + 8.0
}

#[device]
fn h9(x: f32) -> f32 {
    x + 9.0
}

#[device]
fn h10(x: f32) -> f32 {
    x + 10.0
}

#[device]
fn h11(x: f32) -> f32 {
    x + 11.0
}

#[device]
fn h12(x: f32) -> f32 {
    x + 12.0
}

#[device]
fn h13(x: f32) -> f32 {
    x + 13.0
}

#[device]
fn h14(x: f32) -> f32 {
    x + 14.0
}

#[device]
fn h15(x: f32) -> f32 {
    x + 15.0
}

#[device]
fn h16(x: f32) -> f32 {
    x + 16.0
}

#[device]
fn h17(x: f32) -> f32 {
    x + 17.0
}

#[device]
fn h18(x: f32) -> f32 {
    x + 18.0
}

#[device]
fn h19(x: f32) -> f32 {
    x + 19.0
}

#[device]
fn h20(x: f32) -> f32 {
    x + 20.0
}

#[device]
fn h21(x: f32) -> f32 {
    x + 21.0
}

#[device]
fn h22(x: f32) -> f32 {
    x + 22.0
}

#[device]
fn h23(x: f32) -> f32 {
    x + 23.0
}

#[device]
fn h24(x: f32) -> f32 {
    x + 24.0
}

#[device]
fn h25(x: f32) -> f32 {
    x + 25.0
}

#[device]
fn h26(x: f32) -> f32 {
    x + 26.0
}

#[device]
fn h27(x: f32) -> f32 {
    x + 27.0
}

#[device]
fn h28(x: f32) -> f32 {
    x + 28.0
}

#[device]
fn h29(x: f32) -> f32 {
    x + 29.0
}

#[device]
fn h30(x: f32) -> f32 {
    x + 30.0
}

#[device]
fn h31(x: f32) -> f32 {
    x + 31.0
}

#[device]
fn h32(x: f32) -> f32 {
    x + 32.0
}

#[device]
fn h33(x: f32) -> f32 {
    x + 33.0
}

#[device]
fn h34(x: f32) -> f32 {
    x + 34.0
}

#[device]
fn h35(x: f32) -> f32 {
    x + 35.0
}

#[device]
fn h36(x: f32) -> f32 {
    x + 36.0
}

#[device]
fn h37(x: f32) -> f32 {
    x + 37.0
}

#[device]
fn h38(x: f32) -> f32 {
    x + 38.0
}

#[device]
fn h39(x: f32) -> f32 {
    x + 39.0
}

#[device]
fn h40(x: f32) -> f32 {
    x + 40.0
}

#[device]
fn h41(x: f32) -> f32 {
    x + 41.0
}

#[device]
fn h42(x: f32) -> f32 {
    x + 42.0
}

#[device]
fn h43(x: f32) -> f32 {
    x + 43.0
}

#[device]
fn h44(x: f32) -> f32 {
    x + 44.0
}

#[device]
fn h45(x: f32) -> f32 {
    x + 45.0
}

#[device]
fn h46(x: f32) -> f32 {
    x + 46.0
}

#[device]
fn h47(x: f32) -> f32 {
    x + 47.0
}

#[device]
fn h48(x: f32) -> f32 {
    x + 48.0
}

#[device]
fn h49(x: f32) -> f32 {
    x + 49.0
}

#[device]
fn h50(x: f32) -> f32 {
    x + 50.0
}

#[device]
fn h51(x: f32) -> f32 {
    x + 51.0
}

#[device]
fn h52(x: f32) -> f32 {
    x + 52.0
}

#[device]
fn h53(x: f32) -> f32 {
    x + 53.0
}

#[device]
fn h54(x: f32) -> f32 {
    x + 54.0
}

#[device]
fn h55(x: f32) -> f32 {
    x + 55.0
}

#[device]
fn h56(x: f32) -> f32 {
    x + 56.0
}

#[device]
fn h57(x: f32) -> f32 {
    x + 57.0
}

#[device]
fn h58(x: f32) -> f32 {
    x + 58.0
}

#[device]
fn h59(x: f32) -> f32 {
    x + 59.0
}

#[device]
fn h60(x: f32) -> f32 {
    x + 60.0
}

#[kernel]
fn k(y: &mut [f32]) {
    let mut s = 0.0;
    s += h0(y[0]);
    s += h1(y[1]);
    s += h2(y[2]);
    s += h3(y[3]);
    s += h4(y[4]);
    s += h5(y[5]);
    s += h6(y[6]);
    s += h7(y[7]);
    s += h8(y[8]);
    s += h9(y[9]);
    s += h10(y[10]);
    s += h11(y[11]);
    s += h12(y[12]);
    s += h13(y[13]);
    s += h14(y[14]);
    s += h15(y[15]);
    s += h16(y[16]);
    s += h17(y[17]);
    s += h18(y[18]);
    s += h19(y[19]);
    s += h20(y[20]);
    s += h21(y[21]);
    s += h22(y[22]);
    s += h23(y[23]);
    s += h24(y[24]);
    s += h25(y[25]);
    s += h26(y[26]);
    s += h27(y[27]);
    s += h28(y[28]);
    s += h29(y[29]);
    s += h30(y[30]);
    s += h31(y[31]);
    s += h32(y[32]);
    s += h33(y[33]);
    s += h34(y[34]);
    s += h35(y[35]);
    s += h36(y[36]);
    s += h37(y[37]);
    s += h38(y[38]);
    s += h39(y[39]);
    s += h40(y[40]);
    s += h41(y[41]);
    s += h42(y[42]);
    s += h43(y[43]);
    s += h44(y[44]);
    s += h45(y[45]);
    s += h46(y[46]);
    s += h47(y[47]);
    s += h48(y[48]);
    s += h49(y[49]);
    s += h50(y[50]);
    s += h51(y[51]);
    s += h52(y[52]);
    s += h53(y[53]);
    s += h54(y[54]);
    s += h55(y[55]);
    s += h56(y[56]);
    s += h57(y[57]);
    s += h58(y[58]);
    s += h59(y[59]);
    s += h60(y[60]);
//~      ^ V112
    y[0] = s;
}

fn main() {}
