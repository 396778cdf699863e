//! The addresses of another process's sockets: `/proc/PID/net`.
//!
//! A client of a socket with a path is listed there without that path. The kernel tells the number of the other end, whose
//! path it is, by `sock_diag(7)`, but only to programs of the same network namespace.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rustix::net::{AddressFamily, SocketFlags, SocketType, netlink, socket_with};

use crate::memory::half_in;

/// The number of a socket, by the target of its link in `/proc/PID/fd`.
pub(crate) fn inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?
        .strip_suffix(']')?
        .parse()
        .ok()
}

/// What a socket is connected to: `tcp 10.0.0.5:3306`, `unix /run/mysqld.sock`.
pub(crate) fn name(process: u32, inode: u64) -> Option<String> {
    for (protocol, table) in [
        ("tcp", "tcp"),
        ("tcp", "tcp6"),
        ("udp", "udp"),
        ("udp", "udp6"),
    ] {
        if let Some(connection) = find(&read(process, table), inode) {
            return Some(format!(
                "{}{protocol} {}",
                connection.prefix(),
                connection.address()
            ));
        }
    }
    let table = read(process, "unix");
    let of_server = |peer| path_of(&table, peer).filter(|path| !path.is_empty());
    Some(match path_of(&table, inode)? {
        "" => match peer(inode).and_then(of_server) {
            Some(path) => format!("unix {path}"),
            None => "unix socket".to_owned(),
        },
        path => format!("unix {path}"),
    })
}

/// The number of the other end of a socket that has no address.
fn peer(inode: u64) -> Option<u64> {
    // `linux/netlink.h`, `linux/unix_diag.h`: SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, AF_UNIX, UDIAG_SHOW_PEER.
    const ALL: u32 = u32::MAX;
    let halves = [
        40,
        20 | 1 << 16,
        1,
        0,
        1,
        ALL,
        u32::try_from(inode).ok()?,
        4,
        ALL,
        ALL,
    ];
    let request: Vec<u8> = halves.iter().flat_map(|half| half.to_ne_bytes()).collect();
    let kernel = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    );
    let mut kernel = File::from(kernel.ok()?);
    kernel.write_all(&request).ok()?;
    let mut answer = [0; 512];
    let length = kernel.read(&mut answer).ok()?;
    peer_in(answer.get(..length)?)
}

/// The other end in the kernel's answer: a header, `struct unix_diag_msg`, then attributes.
fn peer_in(answer: &[u8]) -> Option<u64> {
    const PEER: u32 = 2;
    let mut attributes = answer
        .get(32..)
        .filter(|_| half_in(answer, 4) & 0xFFFF == 20)?;
    while attributes.len() >= 8 {
        let head = half_in(attributes, 0);
        if head >> 16 == PEER {
            return Some(u64::from(half_in(attributes, 4)));
        }
        let length = (head & 0xFFFF).next_multiple_of(4);
        attributes = attributes.get(length as usize..).filter(|_| length > 0)?;
    }
    None
}

/// The largest table that is read: one of some 100,000 connections.
const MOST: u64 = 16 << 20;

fn read(process: u32, table: &str) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(format!("/proc/{process}/net/{table}")) {
        // What was read before an error is a part of the table.
        let _ = file.take(MOST).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One end of a connection.
#[derive(Debug, PartialEq, Eq)]
struct Connection {
    local: SocketAddr,
    remote: SocketAddr,
    /// Whether the process waits for connections at the local address.
    is_incoming: bool,
}

impl Connection {
    /// An incoming connection is named by the server's address: its client has a new port each time.
    fn address(&self) -> SocketAddr {
        let is_server = self.is_incoming || self.remote.port() == 0;
        if is_server { self.local } else { self.remote }
    }

    fn prefix(&self) -> &'static str {
        if self.is_incoming && self.remote.port() != 0 {
            "client of "
        } else {
            ""
        }
    }
}

/// The state in `/proc/PID/net/tcp` of a socket that accepts connections.
const LISTENS: &str = "0A";

fn find(table: &str, inode: u64) -> Option<Connection> {
    let rows = || {
        table.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            Some((
                address(words.get(1)?)?,
                address(words.get(2)?)?,
                *words.get(3)?,
                words.get(9)?.parse::<u64>().ok()?,
            ))
        })
    };
    let (local, remote, ..) = rows().find(|(.., number)| *number == inode)?;
    let is_incoming =
        rows().any(|(listener, _, state, _)| state == LISTENS && listener.port() == local.port());
    Some(Connection {
        local,
        remote,
        is_incoming,
    })
}

/// `0100007F:0CEA`: words of four bytes in the machine's order, and the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let mut bytes = Vec::new();
    for word in address.as_bytes().chunks(8) {
        let word = std::str::from_utf8(word).ok()?;
        bytes.extend(u32::from_str_radix(word, 16).ok()?.to_ne_bytes());
    }
    let address = if let Ok(four) = <[u8; 4]>::try_from(bytes.as_slice()) {
        IpAddr::V4(Ipv4Addr::from(four))
    } else {
        IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)).to_canonical()
    };
    Some(SocketAddr::new(
        address,
        u16::from_str_radix(port, 16).ok()?,
    ))
}

/// The path of a socket in `/proc/PID/net/unix`; empty if it has none, as the client's end.
fn path_of(table: &str, inode: u64) -> Option<&str> {
    let mut rows = table.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let number: u64 = words.get(6)?.parse().ok()?;
        Some((number, words.get(7).copied().unwrap_or_default()))
    });
    rows.find(|(number, _)| *number == inode)
        .map(|(_, path)| path)
}

#[cfg(test)]
#[cfg(target_endian = "little")]
mod tests {
    use super::*;

    const TCP: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2328 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 10 1 0
   1: 0100007F:2328 0100007F:8698 01 00000000:00000000 00:00000000 00000000     0        0 11 1 0
   2: 0200000A:8698 0500000A:0CEA 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0
";

    fn named(inode: u64) -> Option<String> {
        let connection = find(TCP, inode)?;
        Some(format!("{}{}", connection.prefix(), connection.address()))
    }

    #[test]
    fn a_connection_has_the_servers_address() {
        assert_eq!(named(10).as_deref(), Some("127.0.0.1:9000"));
        assert_eq!(named(11).as_deref(), Some("client of 127.0.0.1:9000"));
        assert_eq!(named(12).as_deref(), Some("10.0.0.5:3306"));
        assert_eq!(named(13), None);
    }

    #[test]
    fn an_address_of_both_kinds_is_read() {
        let six = "0000000000000000FFFF00000500000A:0CEA";
        assert_eq!(address(six).unwrap().to_string(), "10.0.0.5:3306");
        let own = "00000000000000000000000001000000:0050";
        assert_eq!(address(own).unwrap().to_string(), "[::1]:80");
        for wrong in ["", "1", "zz:1", "0100007F:zz", "0100007F00:1"] {
            assert_eq!(address(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_socket_of_this_machine_may_have_a_path() {
        let table = "Num RefCount Protocol Flags Type St Inode Path\n\
            0: 00000002 00000000 00010000 0001 01 77 /run/mysqld.sock\n\
            1: 00000003 00000000 00000000 0001 03 78\n";
        assert_eq!(path_of(table, 77), Some("/run/mysqld.sock"));
        assert_eq!(path_of(table, 78), Some(""));
        assert_eq!(path_of(table, 79), None);
    }

    #[test]
    fn the_client_of_a_socket_with_a_path_has_that_path() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server");
        let _server = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let client = std::os::unix::net::UnixStream::connect(&path).unwrap();
        let client = File::from(std::os::fd::OwnedFd::from(client));
        let inode = client.metadata().unwrap().ino();
        let found = name(std::process::id(), inode).unwrap();
        // A kernel without that answer has no path.
        let expected = peer(inode).map(|_| format!("unix {}", path.display()));
        assert_eq!(found, expected.unwrap_or_else(|| "unix socket".to_owned()));
    }

    #[test]
    fn an_answer_that_is_no_answer_has_no_other_end() {
        assert_eq!(peer_in(&[]), None);
        let mut answer = vec![0; 32];
        answer[4] = 20;
        answer.extend([8, 0, 9, 0, 1, 0, 0, 0, 8, 0, 2, 0, 77, 0, 0, 0]);
        assert_eq!(peer_in(&answer), Some(77));
        answer[4] = 2;
        assert_eq!(peer_in(&answer), None);
        answer[4] = 20;
        answer[32] = 0;
        assert_eq!(peer_in(&answer), None);
        answer[32] = 255;
        assert_eq!(peer_in(&answer), None);
    }

    #[test]
    fn only_sockets_have_an_inode_in_their_link() {
        assert_eq!(inode("socket:[77]"), Some(77));
        assert_eq!(inode("pipe:[77]"), None);
        assert_eq!(inode("/srv/socket:[77]"), None);
    }
}
