//! Timestamps come out as RFC 3339 in UTC, whatever they came in as.

use interlingua::vocabulary::Timestamp;

#[test]
fn text_is_normalised_to_utc() {
    for (text, normal) in [
        ("2026-01-31T23:59:59Z", "2026-01-31T23:59:59Z"),
        ("2026-01-31t23:59:59z", "2026-01-31T23:59:59Z"),
        ("2026-01-31 23:59:59.000Z", "2026-01-31T23:59:59.000Z"),
        ("2026-03-01T00:30:00.5+01:00", "2026-02-28T23:30:00.500Z"),
        ("2024-02-29T20:00:00.1234-05:30", "2024-03-01T01:30:00.123400Z"),
        ("1969-12-31T23:59:59.1234567891234Z", "1969-12-31T23:59:59.123456789Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ] {
        let time = Timestamp::from_rfc3339(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(time.to_string(), normal);
        let json = serde_json::to_string(&time).unwrap();
        assert_eq!(serde_json::from_str::<Timestamp>(&json).unwrap(), time);
    }
}

#[test]
fn what_is_no_time_is_refused() {
    for text in [
        "",
        "2026-01-31",
        "2026-01-31T23:59:59",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00Z ",
        "+026-01-01T00:00:00Z",
        "0000-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "2026-01-01T00:00:00é",
    ] {
        assert_eq!(Timestamp::from_rfc3339(text), None, "{text}");
    }
    assert!(serde_json::from_str::<Timestamp>("1753000000").is_err());
}

#[test]
fn unix_times_keep_their_unit() {
    let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
    assert_eq!(text(Timestamp::from_unix_seconds(0)).unwrap(), "1970-01-01T00:00:00Z");
    assert_eq!(text(Timestamp::from_unix_millis(-1)).unwrap(), "1969-12-31T23:59:59.999Z");
    assert_eq!(text(Timestamp::from_unix_micros(1)).unwrap(), "1970-01-01T00:00:00.000001Z");
    assert_eq!(Timestamp::from_unix_millis(-1).unwrap().unix_millis(), -1);
    for beyond in [i64::MIN, -62_167_219_201, 253_402_300_800, i64::MAX] {
        assert_eq!(Timestamp::from_unix_seconds(beyond), None);
    }
    assert_eq!(Timestamp::from_unix_millis(i64::MIN), None);
}

#[test]
fn days_follow_each_other_through_all_kinds_of_years() {
    const FIRST_OF_1896: i64 = -2_335_219_200;
    let (mut year, mut month, mut day) = (1896, 1, 1);
    for days in 0..=(2104 - 1896) * 366 {
        let time = Timestamp::from_unix_seconds(FIRST_OF_1896 + days * 86_400).unwrap();
        let text = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
        assert_eq!(time.to_string(), text);
        assert_eq!(Timestamp::from_rfc3339(&text), Some(time));
        let leap = year % 4 == 0 && year != 1900 && year != 2100;
        let last = [31, 28 + i32::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
        (year, month, day) = match (month, day == last) {
            (12, true) => (year + 1, 1, 1),
            (_, true) => (year, month + 1, 1),
            (_, false) => (year, month, day + 1),
        };
    }
}
