dnl The extension for phpize, configure and make. Makefile.frag calls Cargo for
dnl the build. PIE uses this file, too (composer.json).

PHP_ARG_ENABLE([xhprof],
  [whether to enable xhprof],
  [AS_HELP_STRING([--enable-xhprof], [Enable xhprof, a profiler])],
  [yes])

PHP_ARG_WITH([xhprof-cargo],
  [for the cargo that builds xhprof],
  [AS_HELP_STRING([--with-xhprof-cargo=PATH],
    [the cargo that builds xhprof, if not the one on the PATH])],
  [no],
  [no])

if test "$PHP_XHPROF" != "no"; then
  AS_CASE([$PHP_XHPROF_CARGO],
    [no|yes], [AC_PATH_PROG([XHPROF_CARGO], [cargo], [no], [$PATH:$HOME/.cargo/bin])],
    [XHPROF_CARGO=`command -v "$PHP_XHPROF_CARGO" || echo no`])

  dnl The oldest supported Rust is declared in Cargo.toml only.
  XHPROF_NEEDS_RUST=`$SED -n 's/^rust-version = "\(.*\)"$/\1/p' "$abs_srcdir/Cargo.toml"`
  if test "$XHPROF_CARGO" = "no"; then
    AC_MSG_ERROR([cargo not found: xhprof needs Rust $XHPROF_NEEDS_RUST or later, see https://rustup.rs, and --with-xhprof-cargo=PATH])
  fi
  AC_MSG_CHECKING([whether $XHPROF_CARGO is $XHPROF_NEEDS_RUST or later])
  dnl "cargo 1.88.0 (873a06493 2025-05-10)"
  XHPROF_HAS_RUST=`cd "$abs_srcdir" && "$XHPROF_CARGO" --version | $SED 's/^cargo \([[^ ]]*\).*$/\1/'`
  AS_VERSION_COMPARE([$XHPROF_HAS_RUST], [$XHPROF_NEEDS_RUST], [
    AC_MSG_RESULT([no, $XHPROF_HAS_RUST])
    AC_MSG_ERROR([$XHPROF_CARGO is $XHPROF_HAS_RUST, and xhprof needs Rust $XHPROF_NEEDS_RUST or later: see https://rustup.rs, and --with-xhprof-cargo=PATH])
  ])
  AC_MSG_RESULT([yes, $XHPROF_HAS_RUST])
  PHP_SUBST([XHPROF_CARGO])

  dnl The build gets both in its environment. ext-php-rs needs a path that
  dnl exists, and phpize's default for PHP_CONFIG is the bare name.
  XHPROF_PHP=`"$PHP_CONFIG" --php-binary`
  XHPROF_PHP_CONFIG=`command -v "$PHP_CONFIG"`
  AC_MSG_CHECKING([whether $XHPROF_PHP is a 64-bit PHP])
  if test "`$XHPROF_PHP -n -r 'echo PHP_INT_SIZE;'`" != "8"; then
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([xhprof needs a 64-bit PHP])
  fi
  AC_MSG_RESULT([yes])
  PHP_SUBST([XHPROF_PHP])
  PHP_SUBST([XHPROF_PHP_CONFIG])

  dnl The name that Cargo gives a dynamic library on this system.
  AS_CASE([$host_os], [darwin*], [XHPROF_LIBRARY=libxhprof.dylib], [XHPROF_LIBRARY=libxhprof.so])
  PHP_SUBST([XHPROF_LIBRARY])

  dnl This is what PHP_NEW_EXTENSION does for a shared module, without a C source.
  PHP_MODULES="$PHP_MODULES \$(phplibdir)/xhprof.la"
  PHP_SUBST([PHP_MODULES])
  install_modules="install-modules"

  dnl Without PHP_NEW_EXTENSION all three arguments are required; otherwise the
  dnl fragment is silently left out.
  PHP_ADD_MAKEFILE_FRAGMENT([$abs_srcdir/Makefile.frag], [$abs_srcdir], [$abs_builddir])
fi
