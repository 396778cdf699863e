//! How much a test tries: a part in `./x test`, all in `./x test --rest`.

use proptest::prelude::ProptestConfig;

/// A law's random cases: that many with `XHPROF_TEST_WHOLE=1`, else an eighth.
pub(crate) fn cases(whole: u32) -> ProptestConfig {
    ProptestConfig::with_cases(amount(whole / 8, whole))
}

/// `whole` with `XHPROF_TEST_WHOLE=1`, else `part`.
pub(crate) fn amount<T>(part: T, whole: T) -> T {
    match std::env::var_os("XHPROF_TEST_WHOLE") {
        Some(_) => whole,
        None => part,
    }
}
