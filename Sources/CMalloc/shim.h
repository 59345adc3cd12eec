#pragma once
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Sets the size from which a block is mapped from the system for itself, where the C library has such a setting.
static inline void dualgauge_map_blocks_from(int bytes) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}
