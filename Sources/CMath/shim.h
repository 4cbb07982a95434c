// The C library's mathematics, and nothing else of it: what Metrics reckons with.
#ifndef CYCLOMETER_MATH_H
#define CYCLOMETER_MATH_H

#include <math.h>

#endif
