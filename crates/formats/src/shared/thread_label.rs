//! Labels the threads of a profile.

/// A thread's names and IDs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadLabel<'a> {
    pub(crate) process: Option<&'a str>,
    pub(crate) process_id: &'a str,
    pub(crate) thread: Option<&'a str>,
    pub(crate) thread_id: &'a str,
}

impl ThreadLabel<'_> {
    /// The name of the function that stands for the thread.
    pub(crate) fn show(self, is_one_process: bool) -> String {
        let part = |name: Option<&str>, kind: &str, id: &str| {
            let name = name.filter(|name| !name.is_empty()).unwrap_or(kind);
            if name == id || id.is_empty() {
                name.to_owned()
            } else {
                format!("{name} {id}")
            }
        };
        let thread = part(self.thread, "thread", self.thread_id);
        if is_one_process {
            return format!("[{thread}]");
        }
        let process = part(self.process, "process", self.process_id);
        format!("[{process}, {thread}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_its_process_where_there_are_several() {
        let label = ThreadLabel {
            process: Some("php"),
            process_id: "7",
            thread: None,
            thread_id: "8",
        };
        assert_eq!(label.show(true), "[thread 8]");
        assert_eq!(label.show(false), "[php 7, thread 8]");
    }
}
