# `./x fresh`: runs README's commands on Debian systems that have only Rust and
# git. Sourced by `x`.
#
#   bookworm       Debian 12, as root
#   bookworm-llvm  with llvm and clang-14, but without libclang
#   bookworm-user  as a user who may use sudo
#   trixie         Debian 13, as root
#
# A system is a folder. It is unpacked each time from a tar file that is kept for a
# week, and entered by scripts/fresh-enter.sh. The commit is cloned, so changes
# that are not committed are not tested. Logs: target/fresh/KIND/*.log.
#
# The table has wall and CPU time of each command, the disk that the clone takes
# afterwards, and how many packages it compiled (a package counts once for each
# profile).

fresh=${release%/release}/fresh
fresh_kinds=(bookworm bookworm-llvm bookworm-user trixie)
fresh_rows=()
fresh_failed=0

# fresh_run [--demo | --rest] [KIND…]: runs the first command only, both, or also
# `./x test --rest`.
fresh_run() {
    local kind commands=() kinds=()
    mapfile -t commands < <(readme_first_commands)
    for kind; do
        case " ${fresh_kinds[*]} " in
        *" $kind "*) kinds+=("$kind") ;;
        *)
            case $kind in
            --demo) commands=("${commands[0]}") ;;
            --rest) commands+=('./x test --rest') ;;
            *) die "fresh: unknown argument $kind; known are --demo, --rest and ${fresh_kinds[*]}" ;;
            esac
            ;;
        esac
    done
    [ ${#kinds[@]} -gt 0 ] || kinds=("${fresh_kinds[@]}")
    mkdir -p "$fresh"
    exec {fresh_lock}>"$fresh/lock"
    flock --nonblock "$fresh_lock" || die "another ./x fresh runs in $fresh"
    [ -z "$(git status --porcelain)" ] || say 'uncommitted changes are not in the clone'
    say "commit $(git log -1 --format='%h %s')"
    for kind in "${kinds[@]}"; do
        fresh_kind "$kind" "${commands[@]}"
    done
    printf '\n%-14s  %-15s  %-7s  %14s  %14s  %8s  %8s\n' kind command result wall 'user and system' disk packages
    printf '%s\n' "${fresh_rows[@]}"
    [ "$fresh_failed" = 0 ] || die "something failed, see the logs in $fresh"
}

# The first commands of README.md.
readme_first_commands() {
    sed -nE 's/^\$ (\.\/x (demo|test))$/\1/p' README.md | awk '!seen[$0]++' | paste -sd'|' |
        grep -x './x demo|./x test' | tr '|' '\n' ||
        die "README.md does not begin with \"\$ ./x demo\" and \"\$ ./x test\""
}

# fresh_kind KIND COMMAND…
fresh_kind() {
    local kind=$1 suite=bookworm user=root include=git,ca-certificates prepare=true
    local folder=$fresh/$1 command log home=root status
    shift
    case $kind in
    trixie) suite=trixie ;;
    bookworm-user)
        user=newcomer home=home/newcomer
        include+=,sudo
        ;;
    bookworm-llvm)
        # clang-14 depends on libclang, so its files are unpacked without the package.
        # The result has files whose names resemble libclang's.
        prepare='cd /tmp && apt-get update -qq &&
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq llvm libclang-common-14-dev &&
            apt-get download clang-14 && dpkg-deb --extract clang-14_*.deb / &&
            command -v llvm-config && clang-14 --version && ls /usr/lib/llvm-14/lib/libclang-cpp.so* &&
            ! ls /usr/lib/*/libclang[.-][s1]* /usr/lib/llvm-14/lib/libclang[.-][s1]*'
        ;;
    esac
    say "$kind: a new Debian $suite in $folder"
    fresh_unpack "$folder" "$suite" "$include"
    fresh_settle "$folder/root" "$user"
    fresh_enter "$folder/root" root "$prepare" >"$folder/prepare.log" 2>&1 ||
        die "cannot prepare $kind: $(tail -n 20 "$folder/prepare.log")"
    fresh_enter "$folder/root" "$user" 'git -c advice.detachedHead=false -c init.defaultBranch=main clone --quiet /xhprof.bundle xhprof' ||
        die "$kind: cannot clone the commit"

    for command; do
        say "$kind: $command, as $user"
        log=${command#./x }
        log=$folder/${log// /}.log
        status=0
        fresh_enter "$folder/root" "$user" "cd xhprof && TIMEFORMAT='%0R %0U %0S' && { time $command 2>&1; } 2>~/time" >"$log" || status=$?
        fresh_row "$kind" "$command" "$status" "$folder/root/$home"
        if [ "$status" != 0 ]; then
            tail -n 40 "$log"
            say "$kind: $command ended with status $status; the whole log: $log"
            say "the root is kept; to enter it: sudo scripts/fresh-enter.sh $folder/root $user bash"
            fresh_failed=1
            return 0
        fi
        sed -n '/^==> [0-9]* steps in /,$p' "$log"
    done
    as_root rm -rf --one-file-system "$folder/root"
}

# fresh_row KIND COMMAND STATUS HOME: HOME has the clone, and the times of the command.
fresh_row() {
    local kind=$1 command=$2 status=$3 home=$4 result=ok wall user system disk packages logs
    [ "$status" = 0 ] || result=FAILED
    read -r wall user system < <(as_root tail -n 1 "$home/time") || wall=0 user=0 system=0
    disk=$(as_root du -sk "$home/xhprof" | awk '{ printf "%.1f GB", $1 * 1024 / 1e9 }')
    case $command in
    *demo) logs=x-demo ;;
    *rest) logs=x-rest ;;
    *) logs=x-test ;;
    esac
    packages=$({ as_root grep -rhc '^ *Compiling ' "$home/xhprof/target/$logs" --include='*.log' || true; } | awk '{ sum += $1 } END { print sum + 0 }')
    fresh_rows+=("$(printf '%-14s  %-15s  %-7s  %14s  %14s  %8s  %8s' "$kind" "$command" "$result" \
        "$(minutes "$wall")" "$(minutes $((user + system)))" "$disk" "$packages")")
    say "${fresh_rows[-1]}"
}

# fresh_unpack FOLDER SUITE PACKAGES: a new root, FOLDER/root.
fresh_unpack() {
    mkdir -p "$1"
    fresh_base "$2" "$3"
    # One file system only: the content of a mount that was left there is not deleted.
    as_root rm -rf --one-file-system "$1/root"
    rm -f "$1"/*.log
    mkdir "$1/root"
    as_root tar --extract --file="$fresh/base-$2-$3.tar" --directory="$1/root" \
        --numeric-owner --exclude='./dev/*' || die "cannot unpack the root"
}

# fresh_base SUITE PACKAGES: makes the tar file, from this machine's Debian archive.
fresh_base() {
    local suite=$1 include=$2 base=$fresh/base-$1-$2.tar mirror security sources
    [ -z "$(find "$base" -mtime -7 2>/dev/null)" ] || return 0
    mirror=$(debian_mirror) || exit 1
    security=$(debian_mirror Debian-Security) || security=
    sources=("deb $mirror $suite main" "deb $mirror $suite-updates main")
    [ -z "$security" ] || sources+=("deb $security $suite-security main")
    say "mmdebstrap $suite with $include: a minute"
    mkdir -p "$fresh/tmp"
    # mmdebstrap chooses the format by the file's ending.
    as_root env TMPDIR="$fresh/tmp" unshare --mount mmdebstrap --quiet --variant=minbase --include="$include" \
        "$suite" "$fresh/new.tar" "${sources[@]}" >"$base.log" 2>&1 ||
        die "mmdebstrap failed: $(tail -n 10 "$base.log")"
    as_root mv "$fresh/new.tar" "$base"
}

# fresh_network ROOT: copies from this machine: name server, proxies and certificates.
fresh_network() {
    local root=$1 file
    for file in /etc/resolv.conf /etc/hosts /etc/hostname /etc/ssl/certs/ca-certificates.crt; do
        [ ! -e "$file" ] || as_root cp -L --remove-destination "$file" "$root$file"
    done
    {
        apt-config dump Acquire | grep -vE '^Acquire::(Languages|GzipIndexes|cdrom)' || true
        [ -z "${http_proxy:-}" ] || echo "Acquire::http::Proxy \"$http_proxy\";"
        [ -z "${https_proxy:-}" ] || echo "Acquire::https::Proxy \"$https_proxy\";"
    } | as_root tee "$root/etc/apt/apt.conf.d/90machine" >/dev/null
}

# fresh_settle ROOT USER: the network, the user, Cargo's downloads, and the commit.
fresh_settle() {
    local root=$1 user=$2 home=/root cargo=${CARGO_HOME:-$HOME/.cargo} file
    fresh_network "$root"
    if [ "$user" != root ]; then
        home=/home/$user
        as_root chroot "$root" useradd --create-home --shell /bin/bash "$user"
        echo "$user ALL=(ALL) NOPASSWD: ALL" | as_root tee "$root/etc/sudoers.d/$user" >/dev/null
        as_root chmod 440 "$root/etc/sudoers.d/$user"
    fi
    as_root mkdir -p "$root$home/.cargo/registry"
    for file in config.toml registry/index registry/cache; do
        [ ! -e "$cargo/$file" ] || as_root cp -R "$cargo/$file" "$root$home/.cargo/$file"
    done
    as_root chroot "$root" chown -R "$user:" "$home/.cargo"
    git bundle create --quiet "$fresh/commit.bundle" HEAD
    as_root cp "$fresh/commit.bundle" "$root/xhprof.bundle"
}

# fresh_enter ROOT USER COMMAND: runs a command; all its processes and mounts end
# with it.
fresh_enter() {
    as_root env XHPROF_RUST="$(rustc --print sysroot)" XHPROF_ARCHIVES="$fresh/archives" \
        scripts/fresh-enter.sh "$@" </dev/null
}
