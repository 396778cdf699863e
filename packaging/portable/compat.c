/* What glibc before 2.33 and musl lack, by system calls. Linked into the extension of the
   packages only. On x86-64 and aarch64 the kernel's struct stat is that of both libraries. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

int fstatat64(int folder, const char *path, void *to, int flags) {
	return syscall(SYS_newfstatat, folder, path, to, flags);
}

int stat64(const char *path, void *to) {
	return fstatat64(AT_FDCWD, path, to, 0);
}

int lstat64(const char *path, void *to) {
	return fstatat64(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}

int fstat64(int file, void *to) {
	return syscall(SYS_fstat, file, to);
}

int getentropy(void *to, size_t size) {
	return syscall(SYS_getrandom, to, size, 0) == (long)size ? 0 : -1;
}

/* libgcc_s, which Alpine's PHP is installed without. A panic aborts and never unwinds, so
   only its backtrace is missed: it is empty. */
int _Unwind_Backtrace(void *each, void *argument) {
	(void)each;
	(void)argument;
	return 5; /* _URC_END_OF_STACK */
}

#define NEVER(name) void name(void) { abort(); }
NEVER(_Unwind_FindEnclosingFunction)
NEVER(_Unwind_GetCFA)
NEVER(_Unwind_GetDataRelBase)
NEVER(_Unwind_GetIP)
NEVER(_Unwind_GetIPInfo)
NEVER(_Unwind_GetLanguageSpecificData)
NEVER(_Unwind_GetRegionStart)
NEVER(_Unwind_GetTextRelBase)
NEVER(_Unwind_Resume)
NEVER(_Unwind_SetGR)
NEVER(_Unwind_SetIP)
