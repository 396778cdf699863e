#!/bin/sh
# Installs xhprof from a release: the extension into each PHP of this machine that the
# release has a file for, and the program xhprof. Nothing is compiled.
#
#   sh install.sh --from FOLDER|URL [--php FILE]… [--ini FILE] [--signers FILE] [--dry-run]
#   sh install.sh --uninstall
#
#   --from       the folder or address with the files of a release
#   --php FILE   this PHP only, such as /usr/bin/php8.2; may be given again
#   --ini FILE   these settings in place of those of the release
#   --signers    checks SHA256SUMS.sig with ssh-keygen, against this file of allowed signers
#   --dry-run    says what would be done, and changes nothing
#   --uninstall  removes what it installed
#
# PREFIX= is the folder of the program, /usr/local by default. What was installed stands in
# PREFIX/share/xhprof/release. A file that does not agree with SHA256SUMS is not installed.

set -eu

from=
prefix=${PREFIX:-/usr/local}
list=$prefix/share/xhprof/release
phps='' settings='' signers='' dry='' uninstall=''

say() { printf '%s\n' "$*"; }

die() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
    --from | --php | --ini | --signers)
        [ $# -gt 1 ] || die "$1 needs a value"
        case $1 in
        --from) from=${2%/} ;;
        --php) phps="$phps $2" ;;
        --ini) settings=$2 ;;
        --signers) signers=$2 ;;
        esac
        shift
        ;;
    --dry-run) dry=yes ;;
    --uninstall) uninstall=yes ;;
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
        exit
        ;;
    *) die "unknown option $1; --help lists them" ;;
    esac
    shift
done

# change COMMAND…: runs it, or says it.
change() {
    if [ -n "$dry" ]; then say "would run: $*"; else "$@"; fi
}

# put MODE FILE TARGET: replaces the target at once. Running programs have the old file mapped.
put() {
    change cp "$2" "$3.new"
    change chmod "$1" "$3.new"
    change mv -f "$3.new" "$3"
}

# note FILE: for --uninstall. A line with a version is a module that phpenmod has enabled.
note() {
    [ -z "$dry" ] || return 0
    mkdir -p "${list%/*}"
    grep -qxF "$1" "$list" 2>/dev/null || printf '%s\n' "$1" >>"$list"
}

uninstall_all() {
    [ -e "$list" ] || die "nothing was installed by this script below $prefix: there is no $list"
    while read -r line; do
        case $line in
        phpenmod\ *)
            change phpdismod -v "${line#phpenmod }" xhprof
            # Debian remembers what the administrator disabled, and enables no package against it.
            change rm -f "/var/lib/php/modules/${line#phpenmod }"/*/disabled_by_admin/xhprof
            ;;
        *.ini)
            # The user may have changed the settings.
            if [ -e "$line" ] && [ "$(sha256sum <"$line")" != "$(cat "$list.ini" 2>/dev/null)" ]; then
                change mv "$line" "$line.saved"
                say "you changed the settings, so they are kept: $line.saved"
            else
                change rm -f "$line"
            fi
            ;;
        *) change rm -f "$line" ;;
        esac
    done <"$list"
    change rm -f "$list" "$list.ini"
    [ -n "$dry" ] || rmdir "${list%/*}" 2>/dev/null || true
    say 'removed. Servers forget it when they are started again: php-fpm, Apache, workers.'
}

# get NAME: a file of the release, into $work.
get() {
    case $from in
    http://* | https://*)
        if command -v curl >/dev/null; then
            curl -fsSL -o "$work/$1" "$from/$1" || die "cannot load $from/$1"
        else
            command -v wget >/dev/null || die 'curl or wget is needed'
            wget -q -O "$work/$1" "$from/$1" || die "cannot load $from/$1"
        fi
        ;;
    *) cp "$from/$1" "$work/$1" || die "there is no $1 in $from" ;;
    esac
}

# get_checked NAME: the same, compared with SHA256SUMS.
get_checked() {
    [ -e "$work/$1" ] || get "$1"
    (cd "$work" && grep "  $1\$" SHA256SUMS | sha256sum -c - >/dev/null 2>&1) ||
        die "$1 does not agree with SHA256SUMS: it was changed, or is not whole; nothing of it is installed"
}

# The name in SHA256SUMS that begins and ends so.
asset() { sed -n "s/^[0-9a-f]*  \($1\)\$/\1/p" "$work/SHA256SUMS" | head -n 1; }

# All PHPs: each once, whatever it is called.
find_phps() {
    for folder in /usr/local/bin /usr/bin /opt/*/bin $(printf '%s' "$PATH" | tr : ' '); do
        # Alpine's are called php84.
        for file in "$folder/php" "$folder"/php[0-9].[0-9] "$folder"/php[0-9][0-9]; do
            [ ! -x "$file" ] || readlink -f "$file"
        done
    done | awk '!seen[$0]++'
}

install_into() {
    php=$1
    # shellcheck disable=SC2016 # PHP's names
    facts=$("$php" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION, " ", PHP_DEBUG ? "-debug" : "", PHP_ZTS ? "-zts" : "", ";", PHP_EXTENSION_DIR, ";", strtok(PHP_CONFIG_FILE_SCAN_DIR, PATH_SEPARATOR);' 2>/dev/null) || {
        say "$php: does not run, left out"
        return
    }
    version=${facts%% *} facts=${facts#* }
    suffix=${facts%%;*} facts=${facts#*;}
    folder=${facts%%;*} scanned=${facts#*;}
    libc=glibc
    # The name of its dynamic linker stands in the file.
    ! grep -q /lib/ld-musl "$php" || libc=musl
    name=$(asset "php_xhprof-.*_php$version-$machine-linux-$libc$suffix\.tgz")
    if [ -z "$name" ]; then
        say "$php: the release has no file for PHP $version-$machine-linux-$libc$suffix, left out"
        return
    fi
    module=$folder/xhprof.so
    if ! grep -qxF "$module" "$list" 2>/dev/null && [ -e "$module" ]; then
        say "$php: there is another $module; remove that first, such as: apt-get remove php$version-xhprof, pecl uninstall xhprof; left out"
        return
    fi
    get_checked "$name"
    mkdir -p "$work/$name.d"
    tar -xzf "$work/$name" -C "$work/$name.d"
    "$php" -n -d extension="$work/$name.d/xhprof.so" -r 'exit(function_exists("xhprof_enable") ? 0 : 1);' ||
        die "$php does not load the extension of $name"
    say "$php: PHP $version, $name"
    change mkdir -p "$folder"
    put 644 "$work/$name.d/xhprof.so" "$module"
    note "$module"
    switch_on "$version" "$scanned" "${settings:-$work/$name.d/xhprof.ini}"
    installed="$installed $php"
}

# switch_on VERSION FOLDER INI: Debian enables modules by links, other PHPs read a folder.
switch_on() {
    case $2 in
    /etc/php/"$1"/*) ini=/etc/php/$1/mods-available/xhprof.ini ;;
    ?*) ini=$2/20-xhprof.ini ;;
    *)
        say "this PHP reads no folder of ini files: add the line extension=xhprof to its php.ini"
        return
        ;;
    esac
    case $ini in */mods-available/*) note "phpenmod $1" ;; esac
    if [ -e "$ini" ]; then
        say "settings: $ini exists and is not changed"
    else
        change mkdir -p "${ini%/*}"
        put 644 "$3" "$ini"
        note "$ini"
        [ -n "$dry" ] || sha256sum <"$ini" >"$list.ini"
    fi
    case $ini in */mods-available/*) change phpenmod -v "$1" xhprof ;; esac
}

install_program() {
    name=$(asset "xhprof-.*-$machine-linux\.tgz")
    if [ -z "$name" ]; then
        say "the release has no program for $machine"
        return
    fi
    get_checked "$name"
    mkdir -p "$work/program"
    tar -xzf "$work/$name" -C "$work/program"
    change mkdir -p "$prefix/bin"
    put 755 "$work/program/xhprof" "$prefix/bin/xhprof"
    note "$prefix/bin/xhprof"
    say "the program: $prefix/bin/xhprof"
}

[ -n "$dry" ] || [ "$(id -u)" = 0 ] || die 'this needs root: sudo sh install.sh; --dry-run says what it would do'
if [ -n "$uninstall" ]; then
    uninstall_all
    exit
fi
[ -n "$from" ] || die "--from is missing: the folder or the address with the files of a release"
[ "$(uname -s)" = Linux ] || die 'releases have files for Linux only; build from source'
machine=$(uname -m)
[ "$machine" != aarch64 ] || machine=arm64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
installed=''
get SHA256SUMS
if [ -n "$signers" ]; then
    get SHA256SUMS.sig
    ssh-keygen -Y verify -f "$signers" -I release -n xhprof -s "$work/SHA256SUMS.sig" <"$work/SHA256SUMS" >/dev/null ||
        die 'SHA256SUMS is not signed by one of the allowed signers'
    say 'SHA256SUMS is signed by an allowed signer'
fi
for php in ${phps:-$(find_phps)}; do
    install_into "$php"
done
[ -n "$installed" ] || die 'no PHP was found that the release has a file for'
install_program
[ -z "$dry" ] || exit 0
say ''
say "First report:  xhprof run -- script.php"
say 'Servers load it when they are started again: php-fpm, Apache, workers.'
say "To undo:       sh install.sh --uninstall"
