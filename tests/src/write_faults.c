// Makes one write or sync of a group of processes fail. Loaded before the C library by LD_PRELOAD.
//
// FAULT_COUNTER names a file with a 64-bit counter that the processes share; the call with the number
// FAULT_AT fails, as on a full disk (write, ftruncate) or a broken one (fsync). Only regular files
// count. Without FAULT_AT, calls are counted only.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t *counter;
static uint64_t fault_at;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FAULT_COUNTER"), *at = getenv("FAULT_AT");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *map = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    counter = map == MAP_FAILED ? NULL : map;
    fault_at = at ? strtoull(at, NULL, 10) : 0;
    close(file);
}

// Counts a call, and returns 1 if it is to fail.
static int fails(int file, int error) {
    struct stat status;
    int saved = errno;
    if (!counter || fstat(file, &status) || !S_ISREG(status.st_mode)) {
        errno = saved;
        return 0;
    }
    if (__atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST) == fault_at) {
        errno = error;
        return 1;
    }
    errno = saved;
    return 0;
}

#define WRAP(type, name, error, parameters, arguments)                  \
    type name parameters {                                              \
        static type(*real) parameters;                                  \
        if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);  \
        return fails(file, error) ? -1 : real arguments;                \
    }

WRAP(ssize_t, write, ENOSPC, (int file, const void *bytes, size_t size), (file, bytes, size))
WRAP(ssize_t, writev, ENOSPC, (int file, const struct iovec *parts, int count), (file, parts, count))
WRAP(ssize_t, pwrite, ENOSPC, (int file, const void *bytes, size_t size, off_t at), (file, bytes, size, at))
WRAP(ssize_t, pwrite64, ENOSPC, (int file, const void *bytes, size_t size, off64_t at), (file, bytes, size, at))
WRAP(int, ftruncate, EIO, (int file, off_t size), (file, size))
WRAP(int, ftruncate64, EIO, (int file, off64_t size), (file, size))
WRAP(int, fsync, EIO, (int file), (file))
WRAP(int, fdatasync, EIO, (int file), (file))
