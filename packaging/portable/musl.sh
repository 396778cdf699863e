# A PHP with musl, from PHP's sources: Debian has none. Sourced by scripts/matrix.sh.

# musl_php FOLDER: FOLDER/php/bin/php, with what needs no other library, and without a JIT: with
# it this build of PHP 8.2 crashed, with no extension, too.
musl_php() {
    local folder=$1
    [ ! -x "$folder/php/bin/php" ] || return 0
    php_source "${release%/release}/php-src"
    rm -rf "$folder/src" "$folder/php" "$folder/headers"
    mkdir -p "$folder/headers"
    cp -R "${release%/release}/php-src/src" "$folder/src"
    # musl's compiler does not see the kernel's headers.
    ln -s /usr/include/linux /usr/include/asm-generic "$folder/headers/"
    ln -s "/usr/include/$(uname -m)-linux-gnu/asm" "$folder/headers/asm"
    say 'a PHP with musl: some 5 minutes'
    (
        cd "$folder/src"
        [ -x configure ] || ./buildconf --force
        CC=musl-gcc CFLAGS="-O1 -idirafter $folder/headers" LDFLAGS=-rdynamic ./configure --quiet \
            --prefix="$folder/php" --disable-all --enable-cli --disable-cgi --disable-phpdbg --without-valgrind \
            --enable-opcache --disable-opcache-jit --enable-pcntl --enable-posix --enable-tokenizer --enable-phar --enable-session \
            --enable-ctype --enable-mbstring --disable-mbregex
        make -j2
        make install
    ) >"$folder/build.log" 2>&1 || die "PHP did not build: $(tail -n 20 "$folder/build.log")"
}
