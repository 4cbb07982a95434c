// Only the mathematics of the C library, for Metrics, ActivityFiles and DeclaredSensors.
#ifndef CYCLOMETER_MATH_H
#define CYCLOMETER_MATH_H

#include <math.h>

#endif
