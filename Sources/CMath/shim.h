// Only the mathematics of the C library, for ActivityFiles, DeclaredSensors, Earth, Guidance and Metrics.
#ifndef CYCLOMETER_MATH_H
#define CYCLOMETER_MATH_H

#include <math.h>

#endif
