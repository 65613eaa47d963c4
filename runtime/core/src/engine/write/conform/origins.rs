//! Where the parts of a repaired request stood in the request that was given.

/// The place of a block: its message and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) message: usize,
    pub(super) block: usize,
}

impl Place {
    /// The place as a path in the request.
    pub(super) fn path(self) -> String {
        format!("messages[{}].content[{}]", self.message, self.block)
    }
}

/// The original places of all messages and their blocks; empty when all stand where they stood.
#[derive(Debug, Default)]
pub(super) struct Origins(pub(super) Vec<Origin>);

/// The original place of a message, and those of its blocks. What was made up stands where its reason stood.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) message: usize,
    pub(super) blocks: Vec<Place>,
}

impl Origins {
    /// A path in the repaired request as the path in the request that was given.
    pub(super) fn original(&self, path: &str) -> String {
        self.moved(path).unwrap_or_else(|| path.to_owned())
    }

    fn moved(&self, path: &str) -> Option<String> {
        let (message, rest) = numbered(path, "messages[")?;
        let origin = self.0.get(message)?;
        let Some((block, rest)) = numbered(rest, ".content[") else {
            return Some(format!("messages[{}]{rest}", origin.message));
        };
        Some(format!("{}{rest}", origin.blocks.get(block)?.path()))
    }
}

/// The number behind a prefix, up to `]`, and what follows.
fn numbered<'p>(path: &'p str, prefix: &str) -> Option<(usize, &'p str)> {
    let (number, rest) = path.strip_prefix(prefix)?.split_once(']')?;
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_where_things_stood() {
        let place = |message, block| Place { message, block };
        let origins = Origins(vec![
            Origin { message: 0, blocks: vec![place(0, 0)] },
            Origin { message: 2, blocks: vec![place(4, 1), place(2, 0)] },
        ]);
        assert_eq!(
            origins.original("messages[1].content[0].content[3]"),
            "messages[4].content[1].content[3]"
        );
        assert_eq!(origins.original("messages[1].content[1]"), "messages[2].content[0]");
        assert_eq!(origins.original("messages[1]"), "messages[2]");
        assert_eq!(origins.original("tools[0]"), "tools[0]");
        assert_eq!(Origins::default().original("messages[7].content[1]"), "messages[7].content[1]");
    }
}
