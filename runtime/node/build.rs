//! What a module of Node needs from the linker.

#![forbid(unsafe_code)]

fn main() {
    napi_build::setup();
}
