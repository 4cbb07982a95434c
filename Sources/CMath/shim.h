// Only the mathematics of the C library, for Metrics and ActivityFiles.
#ifndef CYCLOMETER_MATH_H
#define CYCLOMETER_MATH_H

#include <math.h>

#endif
