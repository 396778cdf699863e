# The RPM packages, made by rpmbuild of what is built already. Sourced by scripts/package.sh.

# rpm_build FOLDER: which has xhprof, static, and xhprof.so. PHP is the chosen one.
rpm_build() {
    local folder=$1 root top page name
    root=$(package_folder) top=$(package_folder)
    install -D -m 755 "$folder/xhprof" "$root/usr/bin/xhprof"
    install -D -m 755 "$folder/xhprof.so" "$root/usr/lib64/php/modules/xhprof.so"
    install -D -m 644 scripts/xhprof.ini "$root/etc/php.d/40-xhprof.ini"
    "$folder/xhprof" man -o "$top/pages" >/dev/null
    for page in "$top"/pages/*.1; do
        # Those of the server are in no package of this kind.
        case ${page##*/} in xhprof-server.1) continue ;; esac
        install -D -m 644 "$page" "$root/usr/share/man/man1/${page##*/}"
        gzip -n -9 "$root/usr/share/man/man1/${page##*/}"
    done
    mkdir -p "$root"/usr/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
    "$folder/xhprof" completions bash >"$root/usr/share/bash-completion/completions/xhprof"
    "$folder/xhprof" completions zsh >"$root/usr/share/zsh/site-functions/_xhprof"
    "$folder/xhprof" completions fish >"$root/usr/share/fish/vendor_completions.d/xhprof.fish"
    for name in xhprof:xhprof-cli php-xhprof-rs:xhprof; do
        install -D -m 644 LICENSE "$root/usr/share/licenses/${name%:*}/LICENSE"
        python3 packaging/crates.py licenses "$version" "${name#*:}" >"$root/usr/share/licenses/${name%:*}/crates.txt"
    done
    chmod -R u+rwX,go+rX,go-w "$root"
    rpmbuild --quiet -bb --target "$architecture" --define "_topdir $top" --define "root $root" \
        --define "release_version ${version//-/\~}" --define "php_version $php_version" \
        --define "php_api $(rpm_number 'PHP Extension')" --define "php_module_api $(rpm_number 'PHP API')" \
        packaging/rpm/xhprof.spec
    cp "$top"/RPMS/*/*.rpm "$packages/"
}

# rpm_number NAME: a number of phpinfo().
rpm_number() { "$PHP" -n -i | sed -n "s/^$1 => //p"; }
