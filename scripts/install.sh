#!/usr/bin/env bash
# Installs the built files, or removes them. Run by `./x install`,
# `./x uninstall`, `make install` and `make uninstall`.
#
# usage: scripts/install.sh install|uninstall|dry-run EXTENSION FOLDER
#
# FOLDER has the programs xhprof and xhprof-server. A folder without the second, which
# only servers and agents need, installs the first alone.
#
# PHP= and PHP_CONFIG= choose the PHP, PREFIX= the folder of the programs. INSTALL_ROOT=
# is put before every path; packagers need it.

set -euo pipefail
case ${INSTALL_ROOT:-/} in /*) ;; *) INSTALL_ROOT=$PWD/$INSTALL_ROOT ;; esac
case ${PREFIX:-/} in /*) ;; *) PREFIX=$PWD/$PREFIX ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."

action=$1 extension=$2 programs=$3
root=${INSTALL_ROOT:-}
prefix=$root${PREFIX:-/usr/local}
version=$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
module=$root$("$PHP_CONFIG" --extension-dir)/xhprof.so
# For uninstall: the programs' installed files, one path a line, and the folders
# that were created, with a slash at the end.
list=$prefix/share/xhprof/installed

say() { printf '==> %s\n' "$*"; }

die() {
    printf 'install: %s\n' "$*" >&2
    exit 1
}

# for_file FILE COMMAND…: runs the command, as root if FILE's folder needs it.
for_file() {
    local folder=${1%/*}
    shift
    while [ ! -e "$folder" ] && [ -n "$folder" ]; do folder=${folder%/*}; done
    if [ "$(id -u)" = 0 ] || [ -w "${folder:-/}" ]; then
        "$@"
    else
        command -v sudo >/dev/null || die "this needs root, and there is no sudo: $*"
        sudo "$@"
    fi
}

# Debian enables modules by links; other systems scan a folder. $ini is the file of
# the settings. $linked says whether phpenmod makes the link.
find_ini() {
    local scanned
    linked=
    scanned=$("$PHP" -n -r 'echo strtok(PHP_CONFIG_FILE_SCAN_DIR, PATH_SEPARATOR);')
    case $scanned in
    /etc/php/"$version"/*) ini=$root/etc/php/$version/mods-available/xhprof.ini linked=yes ;;
    ?*) ini=$root$scanned/20-xhprof.ini ;;
    *) ini=$prefix/share/xhprof/xhprof.ini ;;
    esac
}

# Another ini file that already loads an xhprof.
switched_on_by() {
    local file
    {
        "$PHP" -d display_startup_errors=0 -r 'echo php_ini_loaded_file(), ",", php_ini_scanned_files();' 2>/dev/null || true
    } | tr -d '\n' | tr ',' '\n' | while read -r file; do
        case $file in '' | *[0-9]-xhprof.ini) continue ;; esac
        ! grep -qE '^[[:space:]]*extension[[:space:]]*=[[:space:]]*"?([^";]*/)?xhprof(\.so)?"?[[:space:]]*(;.*)?$' "$file" || echo "$file"
    done | head -n 1 | grep .
}

# put MODE SOURCE FILE [strip]: installs a file, and notes it for uninstall if it
# belongs to the program.
put() {
    local mode=$1 source=$2 file=$3 options=(-D -m "$1") folder=${3%/*} made=()
    if [ "${4:-}" = strip ] && command -v strip >/dev/null; then options+=(-s); fi
    while [ ! -e "$folder" ] && [ -n "$folder" ]; do
        made=("$folder/" "${made[@]}")
        folder=${folder%/*}
    done
    # `install` creates a new file. Writing into the old one would change the file
    # that running PHPs have mapped.
    for_file "$file" install "${options[@]}" "$source" "$file"
    # These two belong to the PHP, and another PHP may have its own.
    case $file in "$module" | "$ini") ;; *) made+=("$file") ;; esac
    [ ${#made[@]} = 0 ] || printf '%s\n' "${made[@]#"$root"}" >>"$workspace/installed"
}

install_everything() {
    local owner other file
    if owner=$(dpkg-query -S "$module" 2>/dev/null); then
        die "$module belongs to the package ${owner%%:*}; remove that first"
    fi
    workspace=$(mktemp -d)
    trap 'rm -rf "$workspace"' EXIT
    # Readable by all users: these become installed files.
    chmod 755 "$workspace"
    [ ! -e "$list" ] || cp "$list" "$workspace/installed"
    find_ini

    put 644 "$extension" "$module" strip
    say "the extension: $module"
    put_ini
    put_programs

    # It asks xhprof-server, if that is beside it.
    "$programs/xhprof" man -o "$workspace/man" >/dev/null
    for file in "$workspace"/man/*; do put 644 "$file" "$prefix/share/man/man1/${file##*/}"; done
    say "manual pages: $prefix/share/man/man1"
    completion bash "$prefix/share/bash-completion/completions/xhprof"
    completion zsh "$prefix/share/zsh/site-functions/_xhprof"
    completion fish "$prefix/share/fish/vendor_completions.d/xhprof.fish"
    say "completions for bash, zsh and fish: $prefix/share"
    # First for the folder itself, then with the folder as its content.
    put 644 "$workspace/installed" "$list"
    awk '!seen[$0]++' "$workspace/installed" >"$workspace/list"
    put 644 "$workspace/list" "$list"
    finish
}

put_programs() {
    local name
    for name in xhprof xhprof-server; do
        if [ -e "$programs/$name" ]; then
            put 755 "$programs/$name" "$prefix/bin/$name" strip
            say "the program: $prefix/bin/$name"
        else
            say "not built, so not installed: $name"
        fi
    done
}

completion() {
    "$programs/xhprof" completions "$1" >"$workspace/completion"
    put 644 "$workspace/completion" "$2"
}

put_ini() {
    local other=''
    [ -n "$root" ] || other=$(switched_on_by) || other=
    if [ -n "$other" ] && [ -z "$linked" ]; then
        say "settings: $other already loads xhprof; scripts/xhprof.ini lists the settings"
        return
    fi
    if [ -e "$ini" ] && ! cmp -s scripts/xhprof.ini "$ini"; then
        say "settings: $ini exists and is not changed"
    else
        put 644 scripts/xhprof.ini "$ini"
        say "settings: $ini"
    fi
    if [ -n "$linked" ] && [ -z "$root" ]; then
        if [ -n "$other" ]; then
            say "not enabled by phpenmod, because $other already loads xhprof"
        else
            for_file /etc/php/ phpenmod -v "$version" xhprof
            say "enabled: phpenmod -v $version xhprof"
        fi
    elif [ "$ini" = "$prefix/share/xhprof/xhprof.ini" ]; then
        say "this PHP reads no folder of ini files: copy that file into $("$PHP" -n -r 'echo PHP_CONFIG_FILE_PATH;')/php.ini"
    fi
}

# Asks PHP whether the extension is loaded. The last line is for users of phpize or
# PIE, who may not know the program.
finish() {
    if [ -z "$root" ]; then
        "$PHP" --ri xhprof 2>/dev/null | awk '/=>/ && shown++ < 2' || true
        echo 'Servers load it when they are started again: php-fpm, Apache, workers.'
    fi
    echo "Profiles in the native format (*.xhp) are read by ${prefix#"$root"}/bin/xhprof, see: xhprof --help"
}

uninstall_everything() {
    local owner file installed
    found=
    if owner=$(dpkg-query -S "$module" 2>/dev/null); then
        die "$module belongs to the package ${owner%%:*}; remove that instead"
    fi
    find_ini
    if [ -n "$linked" ] && [ -z "$root" ] && compgen -G "/etc/php/$version/*/conf.d/*-xhprof.ini" >/dev/null; then
        for_file /etc/php/ phpdismod -v "$version" xhprof
        # Debian remembers what the administrator disabled, and enables no package against it.
        for_file /var/lib/php/ rm -f "/var/lib/php/modules/$version"/*/disabled_by_admin/xhprof
        say "disabled: phpdismod -v $version xhprof"
    fi
    if [ -e "$ini" ] && ! cmp -s scripts/xhprof.ini "$ini"; then
        # Otherwise PHP would try to load an extension that no longer exists.
        for_file "$ini" mv -f "$ini" "$ini.saved"
        say "you changed the settings, so they are kept: $ini.saved"
    else
        take "$ini"
    fi
    take "$module"
    if [ -e "$list" ]; then
        # A folder comes before its files.
        mapfile -t installed < <(tac "$list")
        take "$list"
        for file in "${installed[@]}"; do take "$root$file"; done
    fi
    [ -n "$found" ] || say "nothing of xhprof was installed for $PHP or below $prefix"
}

# Removes the folder only if it is empty.
take() {
    case $1 in
    */) [ ! -d "$1" ] || for_file "${1%/}" rmdir --ignore-fail-on-non-empty "$1" ;;
    *)
        [ -e "$1" ] || return 0
        for_file "$1" rm -f "$1"
        say "removed: $1"
        ;;
    esac
    found=yes
}

# Builds nothing, so the names of the program's generated files are not known.
tell() {
    find_ini
    echo "would install the extension, stripped: $module"
    echo "would install the settings as comments: $ini"
    [ -z "$linked" ] || [ -n "$root" ] || echo "would run: phpenmod -v $version xhprof"
    echo "would install the programs, stripped: $prefix/bin/xhprof, $prefix/bin/xhprof-server"
    echo "would install manual pages and completions: $prefix/share/{man/man1,bash-completion,zsh,fish}"
    echo "would note what to uninstall: $list"
}

case $action in
install) install_everything ;;
uninstall) uninstall_everything ;;
dry-run) tell ;;
*) die "unknown action $action; known are install, uninstall and dry-run" ;;
esac
