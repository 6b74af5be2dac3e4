//! Writes the JavaScript with which a page loads a module that rustc has made, as the command `wasm-bindgen --target web`
//! does: `bind MODULE.wasm FOLDER`.

use std::error::Error;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else { return Err("usage: bind MODULE.wasm FOLDER".into()) };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.omit_default_module_path(false).typescript(false).generate(folder)?;
    Ok(())
}
