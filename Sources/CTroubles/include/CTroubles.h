#pragma once

#include <stdint.h>

/// The troubles of a process that was started with this library in `LD_PRELOAD`, and with a file of this content in `DUALGAUGE_TROUBLES`. A change of
/// the file changes the troubles from then on.
struct troubles {
    /// Not 0: files cannot grow, as on a full disk.
    int64_t isFull;
    /// Not 0: files cannot be changed, as on a disk that the system has made read-only.
    int64_t isReadOnly;
    /// Microseconds that each flush to the disk takes longer; a write takes a hundredth of them.
    int64_t delay;
    /// Seconds that the clock is ahead; below 0 it is behind.
    int64_t clock;
};
