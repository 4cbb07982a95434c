// libinih: the parser of the configuration file.
#ifndef CYCLOMETER_CINIH_H
#define CYCLOMETER_CINIH_H
#include <ini.h>
#endif
