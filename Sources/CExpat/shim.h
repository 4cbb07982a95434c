// libexpat: the parser of XML, for imported files.
#ifndef CYCLOMETER_CEXPAT_H
#define CYCLOMETER_CEXPAT_H
#include <expat.h>
#endif
