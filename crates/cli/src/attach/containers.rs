//! The processes of a container, by its name.
//!
//! Docker and containerd keep files with the names of containers, their numbers and their first processes. A process
//! belongs to the container whose number is in its control group, or in whose namespace of processes it is.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// A container that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Container {
    /// Its number: 64 digits, base 16.
    id: String,
    /// The namespace of its first process; none if that is the host's, or the process is gone.
    namespace: Option<String>,
}

/// Where Docker has a folder for each container.
const DOCKER: &str = "var/lib/docker/containers";
/// Where containerd has a folder for each namespace of its own, and in that for each container.
const CONTAINERD: &str = "run/containerd/io.containerd.runtime.v2.task";
/// Where `config.json` of containerd's containers has their names: containers and pods of Kubernetes, nerdctl's.
const ANNOTATIONS: [&str; 3] = [
    "io.kubernetes.cri.container-name",
    "io.kubernetes.cri.sandbox-name",
    "nerdctl/name",
];
/// The fewest digits that name a container.
const FEWEST_DIGITS: usize = 4;

/// The containers of that name, below the root folder of the machine: the name of a container or a pod, or the first
/// digits of a number.
pub(super) fn named(root: &Path, name: &str) -> Vec<Container> {
    let mut found = Vec::new();
    for folder in folders(&root.join(DOCKER)) {
        let Some(about) = read_json(&folder.join("config.v2.json")) else {
            continue;
        };
        let own = about
            .get("Name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let id = about.get("ID").and_then(Value::as_str).unwrap_or_default();
        if own.trim_start_matches('/') == name || is_number_of(name, id) {
            let first = about.pointer("/State/Pid").and_then(Value::as_u64);
            found.push(Container::new(id, first));
        }
    }
    for folder in folders(&root.join(CONTAINERD))
        .iter()
        .flat_map(|all| folders(all))
    {
        let id = folder.file_name().unwrap_or_default().to_string_lossy();
        let about = read_json(&folder.join("config.json")).unwrap_or_default();
        let annotation = |key: &&str| about.get("annotations")?.get(*key)?.as_str();
        let is_named = ANNOTATIONS
            .iter()
            .filter_map(annotation)
            .any(|own| own == name);
        if is_named || is_number_of(name, &id) {
            let first = fs::read_to_string(folder.join("init.pid"));
            let first = first.ok().and_then(|text| text.trim().parse().ok());
            found.push(Container::new(&id, first));
        }
    }
    found
}

impl Container {
    fn new(id: &str, first: Option<u64>) -> Self {
        let first = first.filter(|first| *first > 0);
        Self {
            id: id.to_owned(),
            namespace: first
                .and_then(|first| namespace(&first.to_string()))
                .filter(|theirs| namespace("self").as_ref() != Some(theirs)),
        }
    }

    /// Whether a process belongs to it.
    pub(super) fn has(&self, process: u32) -> bool {
        let process = process.to_string();
        if self.namespace.is_some() && namespace(&process) == self.namespace {
            return true;
        }
        let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
        self.is_in(&groups)
    }

    /// Whether it is named in the text of `/proc/PID/cgroup`: `0::/system.slice/docker-NUMBER.scope`.
    fn is_in(&self, groups: &str) -> bool {
        let mut parts = groups.split(['/', '-', '.', ':', '\n']);
        !self.id.is_empty() && parts.any(|part| part == self.id)
    }
}

/// Whether `name` is the beginning of a container's number.
fn is_number_of(name: &str, id: &str) -> bool {
    name.len() >= FEWEST_DIGITS && id.starts_with(name)
}

fn namespace(process: &str) -> Option<String> {
    let link = fs::read_link(format!("/proc/{process}/ns/pid")).ok()?;
    Some(link.to_string_lossy().into_owned())
}

fn folders(parent: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut folders: Vec<_> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4f2a8c61d3b04f2a8c61d3b04f2a8c61d3b04f2a8c61d3b04f2a8c61d3b04f2a";

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn docker_and_containerd_know_their_containers_by_name_and_number() {
        let root = tempfile::tempdir().unwrap();
        let docker = root.path().join(DOCKER).join(ID).join("config.v2.json");
        write(
            &docker,
            &format!(r#"{{"ID":"{ID}","Name":"/web","State":{{"Pid":0}}}}"#),
        );
        write(&root.path().join(DOCKER).join("broken/config.v2.json"), "{");
        let containerd = root.path().join(CONTAINERD).join("k8s.io/77aa77aa");
        let about = r#"{"annotations":{"io.kubernetes.cri.sandbox-name":"shop-7d9f","io.kubernetes.cri.container-name":"php"}}"#;
        write(&containerd.join("config.json"), about);
        write(&containerd.join("init.pid"), "0\n");
        let found = |name: &str| {
            let found = named(root.path(), name).into_iter();
            found.map(|container| container.id).collect::<Vec<_>>()
        };
        for name in ["web", &ID[..12], ID] {
            assert_eq!(found(name), [ID], "{name}");
        }
        for name in ["php", "shop-7d9f", "77aa"] {
            assert_eq!(found(name), ["77aa77aa"], "{name}");
        }
        for name in ["/web", "we", "77a", "", "other"] {
            assert_eq!(found(name), [""; 0], "{name}");
        }
    }

    #[test]
    fn a_process_belongs_to_the_container_of_its_control_group() {
        let container = Container {
            id: ID.to_owned(),
            namespace: None,
        };
        for groups in [
            format!("0::/system.slice/docker-{ID}.scope\n"),
            format!("12:pids:/docker/{ID}\n0::/\n"),
            format!("0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-{ID}.scope"),
            format!("0::/machine.slice/libpod-{ID}.scope/container"),
        ] {
            assert!(container.is_in(&groups), "{groups}");
        }
        assert!(!container.is_in("0::/user.slice"));
        assert!(!container.is_in(&format!("0::/docker/{ID}0")));
        // This process is in no container of that number.
        assert!(!container.has(std::process::id()));
    }

    #[test]
    fn the_hosts_own_namespace_is_none_of_a_container() {
        let own = Container::new(ID, Some(u64::from(std::process::id())));
        assert_eq!(own.namespace, None);
    }
}
