//! A program and all that it has started, to end them together.
//!
//! The program leads a process group of its own, and what it starts is in it. Some agents start the commands of their
//! tools in further groups; on Linux those are found by their parents, and when their parents are gone they become our
//! children, since we ask the kernel for it. Elsewhere only the program's group is reached.

#[cfg(unix)]
use rustix::process::{Pid, Signal};
#[cfg(target_os = "linux")]
use std::collections::{BTreeSet, HashMap};

/// A program and all that it has started.
pub struct Family {
    #[cfg(unix)]
    leader: Option<Pid>,
    /// Our children from before, which are not of the family: the shell that became us may have had some.
    #[cfg(target_os = "linux")]
    strangers: BTreeSet<u32>,
}

impl Family {
    /// Notes who is there before the program is started.
    pub fn prepare() -> Self {
        #[cfg(target_os = "linux")]
        {
            let me = rustix::process::getpid();
            // Without it, grandchildren without parents are not found: no reason not to start.
            let _ = rustix::process::set_child_subreaper(Some(me));
        }
        Self {
            #[cfg(unix)]
            leader: None,
            #[cfg(target_os = "linux")]
            strangers: living_below(std::process::id(), &BTreeSet::new()).collect(),
        }
    }

    /// The program is this process, which leads a group.
    pub fn adopt(&mut self, process: u32) {
        #[cfg(unix)]
        {
            self.leader = i32::try_from(process).ok().and_then(Pid::from_raw);
        }
        #[cfg(not(unix))]
        let _ = process;
    }

    /// Asks all of them to end.
    pub fn ask_to_end(&self) {
        #[cfg(unix)]
        self.signal(Signal::TERM);
    }

    /// Kills all of them.
    pub fn kill(&self) {
        #[cfg(unix)]
        self.signal(Signal::KILL);
    }

    /// Whether none of them is left.
    pub fn is_gone(&self) -> bool {
        #[cfg(target_os = "linux")]
        return living_below(std::process::id(), &self.strangers).next().is_none();
        #[cfg(all(unix, not(target_os = "linux")))]
        return self.leader.is_none_or(|leader| rustix::process::test_kill_process_group(leader).is_err());
        #[cfg(not(unix))]
        true
    }

    /// Whoever has ended in between cannot be reached any more, which is what we want.
    #[cfg(unix)]
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            let _ = rustix::process::kill_process_group(leader, signal);
        }
        #[cfg(target_os = "linux")]
        for process in living_below(std::process::id(), &self.strangers) {
            if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
                let _ = rustix::process::kill_process(process, signal);
            }
        }
    }
}

/// The living descendants of a process, without strangers and what is below them.
#[cfg(target_os = "linux")]
fn living_below(root: u32, strangers: &BTreeSet<u32>) -> impl Iterator<Item = u32> + use<> {
    let mut children: HashMap<u32, Vec<(u32, bool)>> = HashMap::new();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if let Some((parent, lives)) = parent_and_life(&stat) {
            children.entry(parent).or_default().push((process, lives));
        }
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for (process, lives) in children.remove(&parent).unwrap_or_default() {
            if !strangers.contains(&process) {
                open.push(process);
                found.extend(lives.then_some(process));
            }
        }
    }
    found.into_iter()
}

/// The parent of a process, and whether it lives, from its `stat`: `PID (NAME) STATE PARENT …`, where the name may hold
/// anything.
#[cfg(target_os = "linux")]
fn parent_and_life(stat: &str) -> Option<(u32, bool)> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut words = rest.split(' ');
    let state = words.next()?;
    Some((words.next()?.parse().ok()?, !matches!(state, "Z" | "X")))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_process_may_hold_anything() {
        assert_eq!(parent_and_life("12 (a) S 4 5) R 7 12 12 0"), Some((7, true)));
        assert_eq!(parent_and_life("12 (sh) Z 7 12 12 0"), Some((7, false)));
        assert_eq!(parent_and_life(""), None);
    }
}
