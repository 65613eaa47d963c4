//! Any text as a map: the compiler answers with faults that have a place, or with a table, whose events keep the laws.
#![no_main]

use interlingua::Options;
use interlingua::table::Layer;
use interlingua_codegen::{SchemaText, compile, describe};
use interlingua_fuzz::hold;
use libfuzzer_sys::fuzz_target;

const SCHEMA: &str = include_str!("../../../codegen/tests/errors/schema.json");

/// Messages of that schema, right ones and wrong ones.
const STREAM: &[u8] = br#"{"type":"hello","session_id":"s","model":"m","cwd":null,"tools":["a"],"limits":{"tokens":1,"cost":0.5}}
{"type":"say","id":"m1","role":"user","content":"words"}
{"type":"say","id":"m1","role":"assistant","content":[{"type":"text","text":"words"},{"type":"image","data":"aa"},{"type":"new"},1]}
{"type":"tool","phase":"start","call":"c1","name":"ls","kind":"shell","input":{"a":1}}
{"type":"tool","phase":"end","call":"c1","output":"out","failed":true,"code":1,"todos":[{"text":"do"}]}
{"type":"tool","phase":"end","call":"c2","output":"out"}
{"type":"done","outcome":"error","at":1.5,"usage":{"m":{"input":3,"cached":4,"output":5}}}
{"type":"done","outcome":1}
{"id":1,"result":{}}
{"type":"ping"}
"#;

fuzz_target!(|map: &str| match compile(map, "fuzz.map", |_: &str| Ok(SchemaText::new(SCHEMA))) {
    Ok(compiled) => {
        let _ = describe::rows(compiled.table);
        let _ = interlingua_codegen::emit(compiled.table);
        match compiled.table.layer {
            Layer::Agent => drop(hold::hold_laws(compiled.table, &Options::new(), STREAM, &[7])),
            Layer::Model => hold::hold_answer(compiled.table, STREAM, &[7]),
        }
    }
    Err(faults) => {
        assert!(!faults.is_empty());
        for fault in faults {
            assert!(fault.to_string().starts_with("fuzz.map:"), "{fault}");
        }
    }
});
