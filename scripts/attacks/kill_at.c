/* Preloaded: kill this process at the n-th call that changes a file, half of the time after half of a write. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

static long left = -1, seen = 0;

void arm(long calls) { left = calls; seen = 0; }
long calls_seen(void) { return seen; }

static int is_last(void) { seen++; return left >= 0 && left-- == 0; }
static void end(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

#define PASS(type, name, types, names) \
    type name types { \
        static type (*real) types; \
        if (!real) real = (type(*) types)dlsym(RTLD_NEXT, #name); \
        if (is_last()) end(); \
        return real names; \
    }
#define WRITE(name, types, half, names) \
    ssize_t name types { \
        static ssize_t (*real) types; \
        if (!real) real = (ssize_t(*) types)dlsym(RTLD_NEXT, #name); \
        if (is_last()) { if (seen % 2) (void)!real half; end(); } \
        return real names; \
    }

WRITE(write, (int fd, const void *data, size_t size), (fd, data, size / 2), (fd, data, size))
WRITE(pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size / 2, at), (fd, data, size, at))
WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size / 2, at), (fd, data, size, at))
PASS(int, ftruncate, (int fd, off_t size), (fd, size))
PASS(int, ftruncate64, (int fd, off64_t size), (fd, size))
PASS(int, unlink, (const char *path), (path))
PASS(int, rename, (const char *from, const char *to), (from, to))
PASS(int, fsync, (int fd), (fd))
PASS(int, fdatasync, (int fd), (fd))
