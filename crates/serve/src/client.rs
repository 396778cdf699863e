//! Where a request comes from.

use std::net::IpAddr;

use axum::http::HeaderMap;

/// The address that a request comes from. A proxy on this machine tells it in the
/// last part of `X-Forwarded-For`; from other machines that header is not believed.
pub(crate) fn client(peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
    let peer = peer?;
    if !peer.is_loopback() {
        return Some(peer);
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let last = forwarded.and_then(|list| list.to_str().ok()?.rsplit(',').next());
    let told = last.and_then(|address| address.trim().parse().ok());
    Some(told.unwrap_or(peer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_a_proxy_on_this_machine_tells_the_address() {
        let [local, remote, told] = ["127.0.0.1", "192.0.2.1", "198.51.100.7"];
        for (peer, lists, expected) in [
            (local, &[][..], local),
            (local, &[told], told),
            (local, &["203.0.113.9, 198.51.100.7"], told),
            (local, &["203.0.113.9", told], told),
            (local, &["unknown"], local),
            (remote, &[told], remote),
        ] {
            let mut headers = HeaderMap::new();
            for list in lists {
                headers.append("x-forwarded-for", HeaderValue::from_static(list));
            }
            let found = client(peer.parse().ok(), &headers);
            assert_eq!(found, expected.parse().ok(), "{peer} {lists:?}");
        }
        assert_eq!(client(None, &HeaderMap::new()), None);
    }
}
