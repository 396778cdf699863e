# `./x attack`: attacks a server with 512 MiB as strangers and as people with a token: bombs,
# floods, slow readers, kills, a damaged database, a full disk. Sourced by `x`.

# attack_server PROGRAM [MEMORY IN MIB] [NAME ...]: all attacks, or those. The server's program is beside PROGRAM.
attack_server() {
    local memory=${2:-512}
    [[ $memory =~ ^[0-9]+$ ]] || die 'usage: ./x attack [MEMORY IN MIB] [NAME ...]'
    python3 scripts/attack/attack.py "$1" "$memory" "${@:3}"
}
