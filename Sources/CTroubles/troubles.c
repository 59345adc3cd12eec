// Stands between a process and the C library: the calls by which SQLite writes to the disk, and those that tell the time.

#define _GNU_SOURCE
#include "CTroubles.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile struct troubles none;
static const volatile struct troubles *now = &none;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("DUALGAUGE_TROUBLES");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(struct troubles), PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) now = mapped;
    close(file);
}

// The C library's own function of this name.
#define REAL(name)                                \
    static __typeof__(&name) real;                \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void wait_for_disk(int64_t microseconds) {
    if (microseconds > 0) usleep((useconds_t)microseconds);
}

/// Whether a file must not be changed up to `end`; `errno` then says why.
static int is_refused(int file, off_t end) {
    wait_for_disk(now->delay / 100);
    struct stat status;
    if (now->isReadOnly) {
        errno = EROFS;
        return 1;
    }
    if (now->isFull && fstat(file, &status) == 0 && end > status.st_size) {
        errno = ENOSPC;
        return 1;
    }
    return 0;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    return is_refused(file, offset + (off_t)count) ? -1 : real(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    return is_refused(file, offset + (off_t)count) ? -1 : real(file, bytes, count, offset);
}

int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    return is_refused(file, size) ? -1 : real(file, size);
}

int ftruncate64(int file, off64_t size) {
    REAL(ftruncate64);
    return is_refused(file, size) ? -1 : real(file, size);
}

int fsync(int file) {
    REAL(fsync);
    wait_for_disk(now->delay);
    return real(file);
}

int fdatasync(int file) {
    REAL(fdatasync);
    wait_for_disk(now->delay);
    return real(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(clock_gettime);
    int result = real(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += now->clock;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    REAL(gettimeofday);
    int result = real(time, zone);
    if (result == 0) time->tv_sec += now->clock;
    return result;
}
