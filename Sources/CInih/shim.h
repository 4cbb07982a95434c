// libinih: the parser of INI texts.
#ifndef CYCLOMETER_CINIH_H
#define CYCLOMETER_CINIH_H
#include <ini.h>
#endif
