//! Days in a time zone.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};

use crate::failure::{Failure, USAGE};
use crate::output;

/// A time zone.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of this name, such as `Europe/Berlin`, `UTC` or `+02:00`; without one, that of this machine.
    pub fn named(name: Option<&str>) -> Result<Self, Failure> {
        let Some(name) = name.filter(|name| *name != "local") else {
            return Ok(Self(TimeZone::system()));
        };
        let zone = offset(name).map(TimeZone::fixed).or_else(|| TimeZone::get(name).ok());
        zone.map(Self).ok_or_else(|| {
            Failure::new(USAGE, format!("there is no time zone `{}`", output::name(name)))
                .help("name one such as Europe/Berlin, UTC, +02:00 or local")
        })
    }

    /// The day of a time.
    pub fn day(&self, millis: i64) -> Option<Date> {
        Some(self.0.to_datetime(Timestamp::from_millisecond(millis).ok()?).date())
    }

    /// The beginning of a day.
    pub fn beginning(&self, day: Date) -> Option<i64> {
        Some(self.0.to_timestamp(day.at(0, 0, 0, 0)).ok()?.as_millisecond())
    }

    /// The date and the time of day, for people.
    pub fn shown(&self, millis: i64) -> String {
        let Ok(time) = Timestamp::from_millisecond(millis) else { return String::new() };
        self.0.to_datetime(time).strftime("%Y-%m-%d %H:%M").to_string()
    }
}

/// `+02:00`, `-0330` or `+5`.
fn offset(name: &str) -> Option<Offset> {
    let (sign, digits) = match name.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2).unwrap_or((&digits, ""));
    let number = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u16>().ok() };
    let seconds = i32::from(number(hours)?) * 3600 + i32::from(number(minutes)?) * 60;
    Offset::from_seconds(sign * seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_on_another_day_in_another_zone() {
        let night = 1_796_081_400_000; // 2026-11-30T23:30:00Z
        let day =
            |zone: &str| Zone::named(Some(zone)).expect("a zone").day(night).expect("a day").to_string();
        assert_eq!(day("UTC"), "2026-11-30");
        for east in ["Europe/Berlin", "+01:00", "+0100", "+1"] {
            assert_eq!(day(east), "2026-12-01", "{east}");
        }
        assert_eq!(day("-08:00"), "2026-11-30");
        assert!(Zone::named(Some("Nowhere/Land")).is_err());
    }
}
