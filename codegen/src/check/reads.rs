//! What a map does with the fields of messages: the raw material of the coverage ledger.

/// Where a value is in a message.
pub(crate) type Place = Vec<Segment>;

/// One step of a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Segment {
    /// A member.
    Key(String),
    /// Any element of an array or entry of an object.
    Element,
    /// Only where the tag that `each … by` reads has one of these values, or the value this kind.
    Variant(Vec<String>),
}

/// What a map does with a field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    /// It is read, with all that is in it.
    Value,
    /// Only it is looked at, and not what is in it: `each`, `one`, or whether it is there.
    Entered,
    /// It is ignored or dropped, for this reason.
    Left(String),
}

/// One use of a field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Read {
    /// The number of the rule; `None` for what is about all messages: the settings, and a `drop` that names no rule.
    pub rule: Option<usize>,
    pub place: Place,
    pub what: Use,
}

/// How a use relates to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is about something else.
    None,
    /// It is about the field, or about something that the field is in.
    Holds,
    /// It is about something in the field.
    Inside,
}

impl Read {
    pub(crate) fn relation(&self, field: &[Segment]) -> Relation {
        let (mut read, mut field) = (&self.place[..], field);
        loop {
            match (read, field) {
                ([], []) => return Relation::Holds,
                ([], _) if self.what == Use::Entered => return Relation::None,
                ([], _) => return Relation::Holds,
                ([Segment::Variant(allowed), more @ ..], [Segment::Variant(this), rest @ ..]) => {
                    if !this.iter().all(|value| allowed.contains(value)) {
                        return Relation::None;
                    }
                    (read, field) = (more, rest);
                }
                ([Segment::Variant(_), more @ ..], _) => read = more,
                (_, [Segment::Variant(_), rest @ ..]) => field = rest,
                (_, []) => return Relation::Inside,
                ([Segment::Key(one), ..], [Segment::Key(two), ..]) if one != two => return Relation::None,
                ([_, more @ ..], [_, rest @ ..]) => (read, field) = (more, rest),
            }
        }
    }
}
