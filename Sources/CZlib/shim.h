// zlib: deflate for what crosses expensive links, and CRC-32 for what is stored.
#ifndef CYCLOMETER_CZLIB_H
#define CYCLOMETER_CZLIB_H
#include <stdint.h>
#include <zlib.h>

// A function-like macro is not imported.
static inline int cyclometer_deflate_init(z_stream *stream, int level) { return deflateInit(stream, level); }
#endif
