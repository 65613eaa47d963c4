//! Columns: what a table declares, and how its rows become arrays.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use interlingua::vocabulary::Timestamp;

/// What a column holds. Every value may be null: null is what is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A text in UTF-8.
    Text,
    /// A list of texts.
    Texts,
    /// A whole number, as 64 bits with a sign: Spark has no unsigned numbers.
    Count,
    /// A number with a fraction.
    Number,
    /// True or false.
    Flag,
    /// A time in microseconds, in UTC.
    Time,
    /// A text that is JSON.
    Json,
}

impl Kind {
    /// The kind's name in the documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Texts => "list of texts",
            Self::Count => "integer",
            Self::Number => "number",
            Self::Flag => "boolean",
            Self::Time => "timestamp",
            Self::Json => "JSON text",
        }
    }

    fn data_type(self) -> DataType {
        match self {
            Self::Text | Self::Json => DataType::Utf8,
            Self::Texts => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
            Self::Count => DataType::Int64,
            Self::Number => DataType::Float64,
            Self::Flag => DataType::Boolean,
            Self::Time => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        }
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What it means, in a sentence.
    pub doc: &'static str,
}

impl Column {
    pub(crate) const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self { name, kind, doc }
    }
}

/// A value of a row.
#[derive(Clone, Debug)]
pub(crate) enum Value<'v> {
    Null,
    Text(&'v str),
    Owned(String),
    Texts(Vec<&'v str>),
    Count(i64),
    Number(f64),
    Flag(bool),
    Time(Timestamp),
}

impl<'v, T: Into<Value<'v>>> From<Option<T>> for Value<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Values that are read where they stand.
macro_rules! values {
    ($( $from:ty => |$value:ident| $to:expr; )*) => { $(
        impl<'v> From<$from> for Value<'v> {
            fn from($value: $from) -> Self {
                $to
            }
        }
    )* };
}

values! {
    &'v str => |text| Self::Text(text);
    &'v String => |text| Self::Text(text);
    String => |text| Self::Owned(text);
    Vec<&'v str> => |texts| Self::Texts(texts);
    i64 => |count| Self::Count(count);
    // No count of tokens, rows or milliseconds comes near the limit.
    u64 => |count| Self::Count(i64::try_from(count).unwrap_or(i64::MAX));
    usize => |count| Self::Count(i64::try_from(count).unwrap_or(i64::MAX));
    u32 => |count| Self::Count(count.into());
    f64 => |number| Self::Number(number);
    bool => |flag| Self::Flag(flag);
    Timestamp => |time| Self::Time(time);
}

/// The schema of a table.
pub(crate) fn schema(name: &str, columns: &[Column]) -> SchemaRef {
    let fields: Vec<Field> =
        columns.iter().map(|column| Field::new(column.name, column.kind.data_type(), true)).collect();
    let facts = [("interlingua.table", name), ("interlingua.tables_version", crate::VERSION)];
    let facts: HashMap<String, String> =
        facts.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    Arc::new(Schema::new_with_metadata(fields, facts))
}

/// Collects the rows of a table.
#[derive(Debug)]
pub(crate) struct Rows {
    schema: SchemaRef,
    columns: Vec<Builder>,
    count: usize,
    /// How many bytes the texts have.
    bytes: usize,
}

impl Rows {
    pub(crate) fn new(schema: SchemaRef, columns: &[Column]) -> Self {
        let columns = columns.iter().map(|column| Builder::new(column.kind)).collect();
        Self { schema, columns, count: 0, bytes: 0 }
    }

    /// Adds a row: a value for each column, in the order of the columns.
    pub(crate) fn push<const N: usize>(&mut self, row: [Value<'_>; N]) {
        debug_assert_eq!(N, self.columns.len(), "a row has a value for each column");
        for (column, value) in self.columns.iter_mut().zip(row) {
            self.bytes += column.push(value);
        }
        self.count += 1;
    }

    /// About how many bytes the rows take.
    pub(crate) fn size(&self) -> usize {
        self.bytes + self.count * self.columns.len() * 8
    }

    /// Takes the rows; `None` when there are none.
    pub(crate) fn take(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if self.count == 0 {
            return Ok(None);
        }
        (self.count, self.bytes) = (0, 0);
        let arrays = self.columns.iter_mut().map(Builder::finish).collect();
        RecordBatch::try_new(self.schema.clone(), arrays).map(Some)
    }
}

#[derive(Debug)]
enum Builder {
    Text(StringBuilder),
    Texts(ListBuilder<StringBuilder>),
    Count(Int64Builder),
    Number(Float64Builder),
    Flag(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
}

impl Builder {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text | Kind::Json => Self::Text(StringBuilder::new()),
            Kind::Texts => Self::Texts(ListBuilder::new(StringBuilder::new())),
            Kind::Count => Self::Count(Int64Builder::new()),
            Kind::Number => Self::Number(Float64Builder::new()),
            Kind::Flag => Self::Flag(BooleanBuilder::new()),
            Kind::Time => Self::Time(TimestampMicrosecondBuilder::new().with_timezone("UTC")),
        }
    }

    /// Adds a value, and gives the bytes of its text. A value of another kind than the column's is a fault of the table,
    /// which its test finds; here it becomes null.
    fn push(&mut self, value: Value<'_>) -> usize {
        match (self, value) {
            (Self::Text(builder), Value::Text(text)) => {
                builder.append_value(text);
                return text.len();
            }
            (Self::Text(builder), Value::Owned(text)) => {
                builder.append_value(&text);
                return text.len();
            }
            (Self::Texts(builder), Value::Texts(texts)) => {
                let bytes = texts.iter().map(|text| text.len()).sum();
                builder.append_value(texts.into_iter().map(Some));
                return bytes;
            }
            (Self::Count(builder), Value::Count(count)) => builder.append_value(count),
            (Self::Number(builder), Value::Number(number)) => builder.append_value(number),
            (Self::Flag(builder), Value::Flag(flag)) => builder.append_value(flag),
            (Self::Time(builder), Value::Time(time)) => builder.append_value(time.unix_millis() * 1000),
            (builder, value) => {
                debug_assert!(matches!(value, Value::Null), "{value:?} does not fit its column");
                builder.push_null();
            }
        }
        0
    }

    fn push_null(&mut self) {
        match self {
            Self::Text(builder) => builder.append_null(),
            Self::Texts(builder) => builder.append_null(),
            Self::Count(builder) => builder.append_null(),
            Self::Number(builder) => builder.append_null(),
            Self::Flag(builder) => builder.append_null(),
            Self::Time(builder) => builder.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Texts(builder) => Arc::new(builder.finish()),
            Self::Count(builder) => Arc::new(builder.finish()),
            Self::Number(builder) => Arc::new(builder.finish()),
            Self::Flag(builder) => Arc::new(builder.finish()),
            Self::Time(builder) => Arc::new(builder.finish()),
        }
    }
}
