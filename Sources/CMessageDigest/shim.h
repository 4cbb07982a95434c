// libmd: message digests.
#ifndef CYCLOMETER_CMESSAGEDIGEST_H
#define CYCLOMETER_CMESSAGEDIGEST_H
#include <stddef.h>
#include <stdint.h>
#include <sha2.h>

static inline void cyclometer_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, bytes, count);
  SHA256Final(digest, &context);
}
#endif
