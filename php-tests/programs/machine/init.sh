#!/bin/sh
# The first process of the machine that `./x matrix aarch64` emulates: what needs a kernel for
# aarch64. Its last line says whether everything passed.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root NO_INTERACTION=1 TEST_PHP_EXECUTABLE=/usr/bin/php8.2
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t devpts pts /dev/pts
for folder in /dev/shm /tmp; do mount -t tmpfs tmpfs "$folder"; done
ip link set lo up
ln -sf /proc/self/fd /dev/fd
ln -sf /proc/self/fd/0 /dev/stdin
ln -sf /proc/self/fd/1 /dev/stdout
ln -sf /proc/self/fd/2 /dev/stderr
cd /xhprof || exit

failed=0
php() { php8.2 -n "$@" || failed=1; }

uname -srm
php -d extension=/xhprof/libxhprof.so php-tests/programs/machine/cost.php
# Without the C library's registration, by our own.
GLIBC_TUNABLES=glibc.pthread.rseq=0 php -d extension=/xhprof/libxhprof.so php-tests/programs/machine/cost.php
# One after the other: two at once would wait for the emulator.
for engine in execute observer; do
    php "$(find /usr/lib/php -name run-tests.php)" -n -q --no-progress --show-diff --set-timeout 900 \
        -d extension=/xhprof/libxhprof.so -d xhprof.engine=$engine php-tests/costs php-tests/exit/fork-*.phpt \
        php-tests/auto-enable/auto-enable-[th]*.phpt php-tests/nesting/nesting-many-*.phpt
done
# The stacks of a program that has only these.
echo '<?php function leaf() { for ($i = 0; $i < 1000; $i++); } function outer() { leaf(); } while (true) outer();' >/tmp/spin.php
php8.2 -n /tmp/spin.php &
sleep 10
/xhprof/xhprof attach $! --duration 20s --collapsed >/tmp/stacks || failed=1
kill $!
grep -vE '^main\(\)(;outer(;leaf)?)? [0-9]+$' /tmp/stacks && failed=1
[ -s /tmp/stacks ] || failed=1
# shellcheck disable=SC2016 # PHP's variables
echo "attach: $(php -n -r '$sum = 0; foreach (file("/tmp/stacks") as $line) { $sum += (int) strrchr($line, " "); } echo $sum;') samples"
[ $failed = 0 ] && echo 'the machine: passed' || echo 'the machine: failed'
echo o >/proc/sysrq-trigger
sleep 10
