# `./x timing-check`: adaptive timing against exact timing on real programs. Sourced by `x`.

# timing_check [ROUNDS [PROGRAM…]]
timing_check() {
    local rounds=${1:-50} workspace status=0
    [[ $rounds =~ ^[0-9]+$ ]] || die 'usage: ./x timing-check [ROUNDS [PROGRAM…]]'
    [ $# = 0 ] || shift
    workspace=$(mktemp -d)
    plain_scan_directory "$workspace/conf.d"
    python3 -B scripts/timing/check.py "$PHP" "$(realpath "$release/libxhprof.so")" "$release/xhprof" "$workspace/conf.d" \
        "$bench_wiki" "$rounds" "$@" || status=$?
    rm -rf "$workspace"
    return "$status"
}
