//! Points in time, written as RFC 3339 text in UTC.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time between the years 0000 and 9999, in UTC, with as many fractional digits
/// as its source gave (in steps of three, at most nine; further ones are cut off).
///
/// Two timestamps are equal when they name the same moment in the same precision.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::Timestamp;
/// let time = Timestamp::from_unix_millis(1_753_000_000_250).unwrap();
/// assert_eq!(time.to_string(), "2025-07-20T08:26:40.250Z");
/// assert_eq!(Timestamp::from_rfc3339("2025-07-20T10:26:40.250+02:00"), Some(time));
/// assert_eq!(Timestamp::from_unix_seconds(i64::MAX), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Timestamp {
    seconds: i64,
    nanoseconds: u32,
    precision: Precision,
}

/// How many fractional digits a timestamp shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Precision {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

/// The first second of the year 0000 and the last of 9999, from the Unix epoch.
const RANGE: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

const SECONDS_PER_DAY: i64 = 86_400;

impl Timestamp {
    /// Whole seconds since the Unix epoch; `None` outside the years 0000 to 9999.
    #[must_use]
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        Self::new(seconds, 0, Precision::Seconds)
    }

    /// Milliseconds since the Unix epoch; `None` outside the years 0000 to 9999.
    #[must_use]
    pub fn from_unix_millis(millis: i64) -> Option<Self> {
        let nanoseconds = millis.rem_euclid(1_000) as u32 * 1_000_000;
        Self::new(millis.div_euclid(1_000), nanoseconds, Precision::Millis)
    }

    /// Microseconds since the Unix epoch; `None` outside the years 0000 to 9999.
    #[must_use]
    pub fn from_unix_micros(micros: i64) -> Option<Self> {
        let nanoseconds = micros.rem_euclid(1_000_000) as u32 * 1_000;
        Self::new(micros.div_euclid(1_000_000), nanoseconds, Precision::Micros)
    }

    /// RFC 3339 text with any offset; `None` when it is not valid. A leap second is taken
    /// as the first second after it, as Unix time does.
    #[must_use]
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        parse(text.as_bytes())
    }

    /// Whole milliseconds since the Unix epoch.
    #[must_use]
    pub fn unix_millis(self) -> i64 {
        self.seconds * 1_000 + i64::from(self.nanoseconds / 1_000_000)
    }

    fn new(seconds: i64, nanoseconds: u32, precision: Precision) -> Option<Self> {
        RANGE.contains(&seconds).then_some(Self { seconds, nanoseconds, precision })
    }

    /// Writes the text into a buffer that fits the longest one.
    pub(super) fn write_to(self, buffer: &mut [u8; 30]) -> &str {
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(SECONDS_PER_DAY));
        let second_of_day = self.seconds.rem_euclid(SECONDS_PER_DAY);
        buffer[..19].copy_from_slice(b"0000-00-00T00:00:00");
        put_digits(&mut buffer[0..4], year);
        put_digits(&mut buffer[5..7], month);
        put_digits(&mut buffer[8..10], day);
        put_digits(&mut buffer[11..13], second_of_day / 3_600);
        put_digits(&mut buffer[14..16], second_of_day / 60 % 60);
        put_digits(&mut buffer[17..19], second_of_day % 60);
        let nanoseconds = i64::from(self.nanoseconds);
        let (digits, fraction) = match self.precision {
            Precision::Seconds => (0, 0),
            Precision::Millis => (3, nanoseconds / 1_000_000),
            Precision::Micros => (6, nanoseconds / 1_000),
            Precision::Nanos => (9, nanoseconds),
        };
        let mut end = 19;
        if digits > 0 {
            buffer[end] = b'.';
            put_digits(&mut buffer[end + 1..=end + digits], fraction);
            end += 1 + digits;
        }
        buffer[end] = b'Z';
        // Only ASCII was written, so this never falls back.
        std::str::from_utf8(&buffer[..=end]).unwrap_or_default()
    }
}

fn put_digits(place: &mut [u8], mut number: i64) {
    for byte in place.iter_mut().rev() {
        *byte = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// The Gregorian date of a day counted from 1970-01-01, for years from 0000 on. Years are
/// counted from March, so that the leap day is the last of its year.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// The inverse of [`civil_from_days`].
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn parse(text: &[u8]) -> Option<Timestamp> {
    let number = |from: usize, digits: usize| parse_digits(text.get(from..from + digits)?);
    let separator =
        |at: usize, allowed: &[u8]| text.get(at).filter(|byte| allowed.contains(byte)).map(|_| ());
    separator(4, b"-")?;
    separator(7, b"-")?;
    separator(10, b"Tt ")?;
    separator(13, b":")?;
    separator(16, b":")?;
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let fits = (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !fits {
        return None;
    }
    let (nanoseconds, precision, rest) = parse_fraction(&text[19..])?;
    let offset = parse_offset(rest)?;
    let seconds =
        days_from_civil(year, month, day) * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + second - offset;
    Timestamp::new(seconds, nanoseconds, precision)
}

fn parse_digits(digits: &[u8]) -> Option<i64> {
    digits
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0')))
}

/// Nanoseconds, precision and what follows.
fn parse_fraction(text: &[u8]) -> Option<(u32, Precision, &[u8])> {
    let Some(fraction) = text.strip_prefix(b".") else {
        return Some((0, Precision::Seconds, text));
    };
    let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let precision = match length {
        0 => return None,
        1..=3 => Precision::Millis,
        4..=6 => Precision::Micros,
        _ => Precision::Nanos,
    };
    let nanoseconds = (0..9).fold(0, |number, place| {
        let digit = if place < length { fraction[place] - b'0' } else { 0 };
        number * 10 + u32::from(digit)
    });
    Some((nanoseconds, precision, &fraction[length..]))
}

/// Seconds east of UTC.
fn parse_offset(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        b"Z" | b"z" => return Some(0),
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let [_, _, b':', _, _] = digits else {
        return None;
    };
    let (hours, minutes) = (parse_digits(&digits[..2])?, parse_digits(&digits[3..])?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.write_to(&mut [0; 30]))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.write_to(&mut [0; 30]))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Rfc3339)
    }
}

struct Rfc3339;

impl Visitor<'_> for Rfc3339 {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date and time as in RFC 3339")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Timestamp, E> {
        Timestamp::from_rfc3339(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "RFC 3339, in UTC.",
            "type": "string",
            "format": "date-time",
        })
    }
}
