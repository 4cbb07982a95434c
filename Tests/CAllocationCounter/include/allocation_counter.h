// Counts what the calling thread asks of the allocator, for tests that hold code to none at all.
#pragma once

/// How often this thread has called malloc, calloc, realloc or their aligned kin so far; -1 where that is not counted
/// (under a sanitizer, which brings its own allocator).
long allocation_count(void);
