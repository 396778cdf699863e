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
ln -sf /proc/self/fd /dev/fd
for number in 0 1 2; do ln -sf /proc/self/fd/$number "/dev/$(echo stdin stdout stderr | cut -d' ' -f$((number + 1)))"; done
cd /xhprof || exit

failed=0
php() { php8.2 -n "$@" || failed=1; }

uname -srm
php -d extension=/xhprof/libxhprof.so php-tests/programs/machine/cost.php
# Without the C library's registration, by our own.
GLIBC_TUNABLES=glibc.pthread.rseq=0 php -d extension=/xhprof/libxhprof.so php-tests/programs/machine/cost.php
for engine in execute observer; do
    php "$(find /usr/lib/php -name run-tests.php)" -n -q -j2 --no-progress --show-diff --set-timeout 900 \
        -d extension=/xhprof/libxhprof.so -d xhprof.engine=$engine \
        php-tests/costs php-tests/shares php-tests/exit php-tests/nesting php-tests/auto-enable
done
attach=crates/attach/tests/programs
php $attach/check.php /usr/bin/php8.2 /xhprof/xhprof /xhprof/libxhprof.so
php $attach/pools.php /usr/bin/php8.2 /xhprof/xhprof /usr/sbin/php-fpm8.2 60
[ $failed = 0 ] && echo 'the machine: passed' || echo 'the machine: failed'
echo o >/proc/sysrq-trigger
sleep 10
