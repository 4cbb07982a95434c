// libexpat: the parser of XML, for imported files.
#ifndef CYCLOMETER_CEXPAT_H
#define CYCLOMETER_CEXPAT_H
#include <expat.h>
#include <stdint.h>

// Releases from 2.9 on deprecate these functions in favour of others that earlier releases lack. They
// only differ where `long` has 32 bits.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static inline uint64_t cyclometer_xml_line(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }

static inline int64_t cyclometer_xml_position(XML_Parser parser) { return XML_GetCurrentByteIndex(parser); }

#pragma clang diagnostic pop
#endif
