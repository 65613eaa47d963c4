//! JSON that is put together from texts.

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// An object of these members, whose values are JSON texts.
pub(crate) fn object<K: AsRef<str>, V: AsRef<str>>(members: impl IntoIterator<Item = (K, V)>) -> String {
    let mut json = String::from("{");
    for (key, value) in members {
        push_member(&mut json, key.as_ref(), value.as_ref());
    }
    json.push('}');
    json
}

/// Appends a member to an object that is not closed yet. The names of a map's fields need no escapes as a rule.
pub(crate) fn push_member(object: &mut String, key: &str, value: &str) {
    if object.len() > 1 {
        object.push(',');
    }
    if key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        object.extend(["\"", key, "\":"]);
    } else {
        object.push_str(&quoted(key));
        object.push(':');
    }
    object.push_str(value);
}
