# Inside the root of `./x package --test`: /release has the packages, /next later ones, /pecl
# two in the place of PECL's. Argument: the version of PHP.

set -euxo pipefail

php=$1
export DEBIAN_FRONTEND=noninteractive
module=$(php -n -r 'echo PHP_EXTENSION_DIR;')/xhprof.so
home=$PWD
cat >fib.php <<'EOF'
<?php
function fib(int $n): int { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
echo fib(15), "\n";
EOF

say() { printf '==> %s\n' "$*"; }

# refute COMMAND…: the command must fail; `!` alone does not end a script.
refute() {
    ! "$@" || {
        say "must fail: $*"
        exit 1
    }
}

# All files that a package or script could leave. PHP's packages keep disabled_by_maint.
files() {
    find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path "$home" -o -path /var/cache -o -path /var/log \
        -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /release -o -path /opt/rust \) -prune -o ! -name '*_by_admin' ! -name '*_by_maint' ! -path '*/disabled_by_maint/*' -print | LC_ALL=C sort
}

# same_files WHAT
same_files() {
    files >after
    diff before after || {
        say "$1 left or removed the files above"
        exit 1
    }
}

# profile_and_report PROGRAM: a profile, its report, and PHP without a warning.
profile_and_report() {
    hash -r
    "$1" run --limit 5 -- fib.php >run.out 2>run.err || cat run.err
    [ "$(cat run.out)" = 610 ]
    grep -E '1,973 .*fib' run.err
    [ -z "$(php -r '' 2>&1)" ]
}

not_loaded() { [ "$(php -r 'var_dump(extension_loaded("xhprof"));' 2>&1)" = 'bool(false)' ]; }

seconds_since() { awk -v a="$1" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }'; }

refute command -v cargo
files >before

say 'install.sh says what it would do, and does nothing'
sh /release/install.sh --from /release --dry-run | tee dry
grep -F "would run: cp" dry | grep -F "$module"
same_files 'install.sh --dry-run'

say 'install.sh refuses a file that was changed'
cp -R /release /tmp/changed
echo >>"$(ls /tmp/changed/php_xhprof-*-glibc.tgz)"
refute sh /release/install.sh --from /tmp/changed >refused 2>&1
grep 'does not agree with SHA256SUMS' refused
same_files 'install.sh with a changed file'

began=$(date +%s.%N)
sh /release/install.sh --from /release
profile_and_report xhprof
took=$(seconds_since "$began")
say "install.sh: from nothing to the first report in $took s"
awk -v took="$took" 'BEGIN { exit took < 60 ? 0 : 1 }'
say 'install.sh: again, as an upgrade'
inode=$(stat -c %i "$module")
sh /release/install.sh --from /release
[ "$inode" != "$(stat -c %i "$module")" ]
profile_and_report xhprof
sh /release/install.sh --uninstall
not_loaded
same_files 'install.sh --uninstall'

say 'install.sh: a changed setting is kept'
sh /release/install.sh --from /release
sed -i 's/^;xhprof.rate = .*/xhprof.rate = 0.5/' "/etc/php/$php/mods-available/xhprof.ini"
sh /release/install.sh --uninstall
not_loaded
rm "/etc/php/$php/mods-available/xhprof.ini.saved"
same_files 'install.sh --uninstall with changed settings'

say 'install.sh: a PHP as in images of php:8.x, which reads a folder of ini files'
mkdir -p /usr/local/bin /usr/local/etc/php/conf.d
cat >/usr/local/bin/php <<'EOF'
#!/bin/sh
# As if configured with --with-config-file-scan-dir=/usr/local/etc/php/conf.d.
case $* in *PHP_CONFIG_FILE_SCAN_DIR*)
    /usr/bin/php "$@" | sed 's|/etc/php/.*|/usr/local/etc/php/conf.d|'
    exit
    ;;
esac
PHP_INI_SCAN_DIR=/usr/local/etc/php/conf.d exec /usr/bin/php "$@"
EOF
chmod +x /usr/local/bin/php
sh /release/install.sh --from /release --php /usr/local/bin/php
[ "$(/usr/local/bin/php -r 'var_dump(extension_loaded("xhprof"));')" = 'bool(true)' ]
[ -e /usr/local/etc/php/conf.d/20-xhprof.ini ]
not_loaded_by_debian=$(/usr/bin/php -r 'var_dump(extension_loaded("xhprof"));')
[ "$not_loaded_by_debian" = 'bool(false)' ]
sh /release/install.sh --uninstall
rm /usr/local/bin/php
rmdir /usr/local/etc/php/conf.d /usr/local/etc/php
same_files 'install.sh --uninstall of such a PHP'

say 'install.sh: the settings of --ini'
sh /release/install.sh --from /release --ini /development.ini
[ "$(php -r 'echo ini_get("xhprof.trigger_secret"), " ", ini_get("xhprof.output_dir");')" = 'development /var/lib/xhprof' ]
sh /release/install.sh --uninstall
same_files 'install.sh --uninstall with settings of --ini'

say 'apt: from nothing to the first report'
began=$(date +%s.%N)
echo 'deb [trusted=yes] file:/release ./' >/etc/apt/sources.list.d/xhprof.list
apt-get update -qq -o Dir::Etc::SourceList=/dev/null
apt-get install -y -qq "php$php-xhprof-rs"
profile_and_report xhprof
took=$(seconds_since "$began")
say "apt: from nothing to the first report in $took s"
awk -v took="$took" 'BEGIN { exit took < 60 ? 0 : 1 }'
gzip -t /usr/share/man/man1/xhprof.1.gz /usr/share/man/man1/xhprof-report.1.gz
bash -c 'source /usr/share/bash-completion/completions/xhprof && complete -p xhprof'
apt-get update -qq
apt-get install -y -qq xhprof-server
id xhprof
[ "$(stat -c '%U %G %a' /var/lib/xhprof)" = 'www-data www-data 770' ]
gzip -t /usr/share/man/man1/xhprof-agent.1.gz
grep ExecStart /usr/lib/systemd/system/xhprof.service | grep -F /usr/bin/xhprof-server
XHPROF=1 XHPROF_OUTPUT="$home/one.xhp" php fib.php
xhprof import one.xhp --store runs --app fib --release 1

say 'apt: an upgrade keeps the settings, and it works'
echo 'xhprof.rate = 0.5' >>"/etc/php/$php/mods-available/xhprof.ini"
apt-get install -y -qq /next/*.deb
dpkg-query -W -f '${Package} ${Version}\n' | grep -c -- '^\(xhprof\|xhprof-server\|php.*-xhprof-rs\) .*-2$' | grep -x 3
[ "$(php -r 'echo ini_get("xhprof.rate");')" = 0.5 ]
profile_and_report xhprof

say 'apt: remove, then purge'
apt-get remove -y -qq "php$php-xhprof-rs" xhprof xhprof-server
not_loaded
refute test -e /usr/bin/xhprof
apt-get purge -y -qq "php$php-xhprof-rs" xhprof xhprof-server
apt-get autoremove -y -qq
rm /etc/apt/sources.list.d/xhprof.list
# adduser is a dependency, and Debian keeps the users of removed packages.
files >after
{ diff before after || true; } | tee left
refute grep -E '^[<>] .*xhprof' left

say "apt: PECL's package goes when this one comes, and what depends on it stays"
apt-get install -y -qq /pecl/*.deb
dpkg -s php-xhprof "php$php-xhprof" >/dev/null
apt-get install -y -qq "/release/php$php-xhprof-rs"_*.deb --no-install-recommends
refute grep -x installed <(dpkg-query -W -f '${db:Status-Status}\n' "php$php-xhprof")
dpkg -s php-xhprof | grep '^Status: install ok installed'
apt-get check
[ "$(php -r 'var_dump(extension_loaded("xhprof"));')" = 'bool(true)' ]
apt-get purge -y -qq php-xhprof "php$php-xhprof-rs"
not_loaded

say 'rpm: install, use, again with changed settings, remove'
apt-get install -y -qq rpm >/dev/null
# Into a folder of its own, and without the PHP that only systems of that kind have.
rpms() { rpm --root /rpm "$@"; }
mkdir -p /rpm
rpm -qp --requires /release/php-xhprof-rs-*.rpm | grep -x "php(zend-abi) = $(php -n -i | sed -n 's/^PHP Extension => //p')-64"
refute grep '^lib' <(rpm -qp --requires /release/xhprof-*.rpm)
rpms --nodeps --install /release/*.rpm
rpms --nodeps --verify xhprof php-xhprof-rs
echo 'xhprof.rate = 0.5' >>/rpm/etc/php.d/40-xhprof.ini
rpms --nodeps --upgrade --force /release/*.rpm
[ "$(php -n -d extension=/rpm/usr/lib64/php/modules/xhprof.so -r 'echo phpversion("xhprof");')" = "$(rpms --query --queryformat '%{VERSION}' xhprof)" ]
grep -x 'xhprof.rate = 0.5' /rpm/etc/php.d/40-xhprof.ini
gzip -t /rpm/usr/share/man/man1/xhprof-report.1.gz
/rpm/usr/bin/xhprof --version
rpms --nodeps --erase xhprof php-xhprof-rs
[ "$(find /rpm/etc /rpm/usr ! -type d)" = /rpm/etc/php.d/40-xhprof.ini.rpmsave ]
rm -r /rpm

say "the archives of PIE, and the program of the release: each alone"
mkdir pie program
tar -xzf /release/php_xhprof-*-glibc.tgz -C pie
tar -xzf /release/xhprof-*-linux.tgz -C program
php -d extension="$home/pie/xhprof.so" --ri xhprof | grep '^Version'
XHPROF=1 XHPROF_OUTPUT="$home/two.xhp" php -d extension="$home/pie/xhprof.so" fib.php
program/xhprof report two.xhp | grep '1,973 .*fib'
say 'all of it works'
