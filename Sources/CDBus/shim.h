// libdbus-1, with functions for macros that Swift cannot import.
#ifndef CYCLOMETER_CDBUS_H
#define CYCLOMETER_CDBUS_H
#include <dbus/dbus.h>

static inline DBusError cyclometer_dbus_error(void) {
  DBusError error = DBUS_ERROR_INIT;
  return error;
}

static inline dbus_uint32_t cyclometer_dbus_timeout_use_default(void) { return (dbus_uint32_t)DBUS_TIMEOUT_USE_DEFAULT; }
#endif
