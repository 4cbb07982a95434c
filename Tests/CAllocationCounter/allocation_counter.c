// The test program's own malloc stands before glibc's, so that the Swift runtime's calls pass here as well. Only calls are
// counted: an allocation that is freed at once shows, which mallinfo would not see.
#include "allocation_counter.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#ifdef IS_SANITIZED

long allocation_count(void) { return -1; }

#else

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local long count;

long allocation_count(void) { return count; }

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  count++;
  return __libc_calloc(items, size);
}

void *realloc(void *place, size_t size) {
  count++;
  return __libc_realloc(place, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size) {
  count++;
  *place = __libc_memalign(alignment, size);
  return *place == NULL ? ENOMEM : 0;
}

#endif
