//! Times that people write: a day, a time, or how long ago.

use std::time::{SystemTime, UNIX_EPOCH};

use interlingua::vocabulary::Timestamp;
use jiff::civil::Date;

use crate::failure::{Failure, USAGE};
use crate::output;
use crate::stats::days::Zone;

/// The time in milliseconds since 1970.
pub fn read(text: &str, zone: &Zone) -> Result<i64, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let time = Timestamp::from_rfc3339(text).map(Timestamp::unix_millis);
    let day = || zone.beginning(text.parse::<Date>().ok()?);
    time.or_else(day).or_else(|| Some(now - ago(text)?)).ok_or_else(|| {
        Failure::new(USAGE, format!("`{}` is not a time", output::name(text))).help(
            "write a day (2026-11-30), a time (2026-11-30T08:00:00Z), or how long ago (90m, 12h, 2d, 1w)",
        )
    })
}

/// `90m`, `12h`, `2d` or `1w` in milliseconds.
fn ago(text: &str) -> Option<i64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let minutes = match unit {
        "m" => 1,
        "h" => 60,
        "d" => 24 * 60,
        "w" => 7 * 24 * 60,
        _ => return None,
    };
    i64::from(number.parse::<u32>().ok()?).checked_mul(minutes * 60_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_several_ways() {
        let zone = Zone::named(Some("+02:00")).expect("a zone");
        let at = |text: &str| read(text, &zone).ok();
        assert_eq!(at("2026-11-30T00:00:00Z"), Some(1_795_996_800_000));
        assert_eq!(at("2026-11-30"), Some(1_795_996_800_000 - 2 * 3_600_000));
        assert!(at("2d") < at("90m") && at("1w") < at("12h"));
        assert_eq!((at("soon"), at(""), at("-3d"), at("é")), (None, None, None, None));
    }
}
