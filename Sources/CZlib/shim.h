#pragma once
#include <zlib.h>

// zlib's initialisers are macros, which Swift cannot call.

static inline int dualgauge_deflate_init(z_stream *stream, int level, int windowBits, int memLevel) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, memLevel, Z_DEFAULT_STRATEGY);
}

static inline int dualgauge_inflate_init(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}
