//! What the tests run in a page: kernels, and calls that a page refuses.

mod kernels;
mod refusals;

use samebits::prelude::*;
use wasm_bindgen::prelude::*;

/// The kernels on the browser's GPU. The result is a list of names and bytes, each with its length before it as a word.
#[wasm_bindgen]
pub async fn run() -> Result<Vec<u8>, JsError> {
    let device = Device::best_async().await?;
    if !device.report().to_string().contains("webgpu") {
        return Err(JsError::new(&format!("the page runs on {}", device.report())));
    }
    Ok(listed(&kernels::all(&device).await?))
}

/// The same on the interpreter, in the page.
#[wasm_bindgen]
pub async fn interpret() -> Result<Vec<u8>, JsError> {
    Ok(listed(&kernels::all(&Device::interpreter()).await?))
}

/// The errors of calls that would have to wait, and of a kernel that the browser does not take, a line each.
#[wasm_bindgen]
pub async fn refused() -> Result<String, JsError> {
    Ok(refusals::all().await?.join("\n"))
}

fn listed(outcomes: &[kernels::Outcome]) -> Vec<u8> {
    let mut list = Vec::new();
    for (name, bytes) in outcomes {
        for part in [name.as_bytes(), bytes] {
            list.extend((part.len() as u32).to_le_bytes());
            list.extend(part);
        }
    }
    list
}

/// Lets a panic be an exception that says what it was.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}
