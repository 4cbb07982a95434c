// libqrencode: QR codes.
#ifndef CYCLOMETER_CQRCODE_H
#define CYCLOMETER_CQRCODE_H
#include <qrencode.h>
#endif
