//! Where a request comes from.

use std::net::IpAddr;

use axum::http::HeaderMap;
use ipnet::IpNet;

/// The address that a request comes from. A proxy on this machine, or one of `proxies`,
/// adds it to `X-Forwarded-For` as the last part; of other machines that header is not
/// believed. Behind several proxies, the last part that is none of them counts.
pub(crate) fn client(
    peer: Option<IpAddr>,
    headers: &HeaderMap,
    proxies: &[IpNet],
) -> Option<IpAddr> {
    // A socket for both families says `::ffff:192.0.2.1` for 192.0.2.1.
    let mut client = peer?.to_canonical();
    let is_proxy = |address: &IpAddr| {
        address.is_loopback() || proxies.iter().any(|network| network.contains(address))
    };
    let lists = headers.get_all("x-forwarded-for").iter().rev();
    let texts = lists.map(|list| list.to_str().unwrap_or_default());
    for told in texts.flat_map(|list| list.rsplit(',')) {
        if !is_proxy(&client) {
            break;
        }
        let Ok(address) = told.trim().parse::<IpAddr>() else {
            break;
        };
        client = address.to_canonical();
    }
    Some(client)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_known_proxies_tell_the_address() {
        let proxies = ["192.0.2.0/28", "2001:db8::7/128"].map(|network| network.parse().unwrap());
        let [local, remote, proxy, told] = ["127.0.0.1", "192.0.2.77", "192.0.2.1", "198.51.100.7"];
        for (peer, lists, expected) in [
            (local, &[][..], local),
            (local, &[told], told),
            (local, &["203.0.113.9, 198.51.100.7"], told),
            (local, &["203.0.113.9", told], told),
            (local, &["unknown"], local),
            (remote, &[told], remote),
            (proxy, &[told], told),
            ("2001:db8::7", &["2001:db8::1"], "2001:db8::1"),
            ("::ffff:192.0.2.1", &[told], told),
            // Two proxies, the second on this machine; the client lied about itself.
            (local, &["203.0.113.9, 198.51.100.7, 192.0.2.1"], told),
            (local, &["203.0.113.9, 198.51.100.7", "192.0.2.1"], told),
            (proxy, &["unknown, 192.0.2.2"], "192.0.2.2"),
        ] {
            let mut headers = HeaderMap::new();
            for list in lists {
                headers.append("x-forwarded-for", HeaderValue::from_static(list));
            }
            let found = client(peer.parse().ok(), &headers, &proxies);
            assert_eq!(found, expected.parse().ok(), "{peer} {lists:?}");
        }
        assert_eq!(client(None, &HeaderMap::new(), &proxies), None);
    }
}
