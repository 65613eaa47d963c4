//! Variants of one's own for each open sum of the vocabulary, defined where the vocabulary does not know of them.

use interlingua::vocabulary::OpenVariant;
use serde::{Deserialize, Serialize};

/// A block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weather {
    pub city: String,
    pub celsius: i32,
}

impl OpenVariant for Weather {
    const TAG: &'static str = "weather";
}

/// A source of messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sensor {
    pub serial: u64,
}

impl OpenVariant for Sensor {
    const TAG: &'static str = "sensor";
}

/// A reason for which an answer ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Eclipse {
    pub total: bool,
}

impl OpenVariant for Eclipse {
    const TAG: &'static str = "eclipse";
}

/// What starts a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sunrise {
    pub at: String,
}

impl OpenVariant for Sunrise {
    const TAG: &'static str = "sunrise";
}

/// A reason for which a turn ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sunset {
    pub at: String,
    pub clouds: Option<u8>,
}

impl OpenVariant for Sunset {
    const TAG: &'static str = "sunset";
}

#[cfg(test)]
mod tests {
    use interlingua::vocabulary::{
        BlockAssembler, ContentBlock, FinishReason, Message, MessageSource, Role, StreamChunk, TurnEndReason,
        TurnTrigger,
    };

    use super::*;

    /// Wraps a value, sends it through a reader that does not know its type, and gets it back.
    macro_rules! survives {
        ($sum:ident, $value:expr, $json:expr) => {{
            let value = $value;
            let wrapped = $sum::custom(&value).expect("it fits");
            let json = serde_json::to_string(&wrapped).expect("JSON");
            assert_eq!(json, $json);
            let read: $sum = serde_json::from_str(&json).expect("the same");
            assert_eq!(read, wrapped);
            assert_eq!(serde_json::to_string(&read).expect("JSON"), json);
            assert_eq!(read.as_custom().transpose().expect("its fields"), Some(value));
            // What nobody knows is kept byte for byte.
            let strange = r#"{"b": 1.50,  "TAG":"strange","a":[ ]}"#.replace("TAG", tag_of(stringify!($sum)));
            let kept: $sum = serde_json::from_str(&strange).expect("kept");
            assert_eq!(kept.tag(), "strange");
            assert_eq!(serde_json::to_string(&kept).expect("JSON"), strange);
        }};
    }

    fn tag_of(sum: &str) -> &'static str {
        if sum == "ContentBlock" { "type" } else { "kind" }
    }

    #[test]
    fn each_open_sum_is_widened_from_outside() {
        let oslo = Weather { city: "Oslo".to_owned(), celsius: -4 };
        survives!(ContentBlock, oslo, r#"{"type":"weather","city":"Oslo","celsius":-4}"#);
        survives!(MessageSource, Sensor { serial: 7 }, r#"{"kind":"sensor","serial":7}"#);
        survives!(FinishReason, Eclipse { total: true }, r#"{"kind":"eclipse","total":true}"#);
        let at = "05:12".to_owned();
        survives!(TurnTrigger, Sunrise { at: at.clone() }, r#"{"kind":"sunrise","at":"05:12"}"#);
        survives!(TurnEndReason, Sunset { at, clouds: None }, r#"{"kind":"sunset","at":"05:12","clouds":null}"#);
    }

    #[test]
    fn a_message_and_a_stream_carry_them() {
        let oslo = Weather { city: "Oslo".to_owned(), celsius: -4 };
        let block = ContentBlock::custom(&oslo).expect("it fits");
        let source = MessageSource::custom(&Sensor { serial: 7 }).expect("it fits");
        let message = Message::new("m1", Role::User, source).with_block(block.clone());
        let json = serde_json::to_string(&message).expect("JSON");
        let read: Message = serde_json::from_str(&json).expect("the same");
        assert_eq!(read, message);

        let mut assembler = BlockAssembler::new();
        let reason = FinishReason::custom(&Eclipse { total: false }).expect("it fits");
        for chunk in [
            StreamChunk::BlockStart { index: 0, block_type: block.block_type() },
            StreamChunk::BlockEnd { index: 0, block: Box::new(block) },
            StreamChunk::finish(reason),
        ] {
            let json = serde_json::to_string(&chunk).expect("JSON");
            assembler.push(serde_json::from_str(&json).expect("the same"));
        }
        let finish = assembler.finish().and_then(FinishReason::as_custom).transpose().expect("its fields");
        assert_eq!(finish, Some(Eclipse { total: false }));
        let first = assembler.blocks().next().and_then(ContentBlock::as_custom).transpose().expect("its fields");
        assert_eq!(first, Some(oslo));
    }
}
