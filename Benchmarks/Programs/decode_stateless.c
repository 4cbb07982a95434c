// Decoders of profiles without state between packets, each written as for that profile alone.
#include "decode.h"

// MARK: Heart rate, 0x2A37

enum { bpm, rr, contact, energy };
static const char *const heart_rate_fields[] = {"bpm", "rr_ms", "sensor_contact", "energy_expended_j"};

static bool heart_rate(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  uint8_t flags = u8(&in);
  uint16_t rate = flags & 0x01 ? u16(&in) : u8(&in);
  uint16_t kilojoules = flags & 0x08 ? u16(&in) : 0;
  if (flags & 0x10) {
    while (in.next < in.end && !in.is_short) {
      if (!append(out, u16(&in) * (1000.0 / 1024))) return false;
    }
  }
  if (!is_whole(&in, flags & 0xe0)) return false;
  // 0 while the sensor searches.
  if (rate == 0 && out->list_count == 0) return true;
  if (rate != 0) put(out, bpm, rate);
  out->list_field = rr;
  if (flags & 0x04) put(out, contact, flags >> 1 & 1);
  if (flags & 0x08) put(out, energy, kilojoules * 1000.0);
  return true;
}

// MARK: Pulse oximeter, 0x2A5F

enum { spo2, pulse, fast_spo2, fast_pulse, slow_spo2, slow_pulse, measurement_status, device_status, amplitude };
static const char *const oximeter_fields[] = {
  "spo2_pct", "pulse_bpm", "spo2_fast_pct", "pulse_fast_bpm", "spo2_slow_pct", "pulse_slow_bpm", "measurement_status",
  "device_status", "pulse_amplitude_index_pct"};

// SFLOAT: four bits of a decimal exponent, twelve of a mantissa, and five patterns that are not
// numbers.
static void put_sfloat(struct reading *out, int field, struct input *in) {
  static const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  uint16_t raw = u16(in);
  if (raw >= 0x07fe && raw <= 0x0802) return;
  int exponent = (int16_t)raw >> 12, mantissa = (int16_t)(raw << 4) >> 4;
  put(out, field, exponent < 0 ? mantissa / powers[-exponent] : mantissa * powers[exponent]);
}

static bool oximeter(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  uint8_t flags = u8(&in);
  put_sfloat(out, spo2, &in);
  put_sfloat(out, pulse, &in);
  if (flags & 0x01) put_sfloat(out, fast_spo2, &in), put_sfloat(out, fast_pulse, &in);
  if (flags & 0x02) put_sfloat(out, slow_spo2, &in), put_sfloat(out, slow_pulse, &in);
  if (flags & 0x04) put(out, measurement_status, u16(&in));
  if (flags & 0x08) put(out, device_status, u24(&in));
  if (flags & 0x10) put_sfloat(out, amplitude, &in);
  return is_whole(&in, flags & 0xe0);
}

// MARK: Environment, 0x2A6C to 0x2A6F, and battery, 0x2A19

static const char *const elevation_fields[] = {"elevation_m"};
static const char *const pressure_fields[] = {"pressure_pa"};
static const char *const temperature_fields[] = {"temperature_c"};
static const char *const humidity_fields[] = {"humidity_pct"};
static const char *const battery_fields[] = {"battery_pct"};

static bool elevation(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  put(out, 0, ((int32_t)(u24(&in) << 8) >> 8) / 100.0);
  return is_whole(&in, false);
}

static bool pressure(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  put(out, 0, u32(&in) / 10.0);
  return is_whole(&in, false);
}

static bool temperature(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  int16_t hundredths = i16(&in);
  if (hundredths != INT16_MIN) put(out, 0, hundredths / 100.0);
  return is_whole(&in, false) && (hundredths == INT16_MIN || hundredths >= -27315);
}

static bool humidity(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  uint16_t hundredths = u16(&in);
  if (hundredths != UINT16_MAX) put(out, 0, hundredths / 100.0);
  return is_whole(&in, false) && (hundredths == UINT16_MAX || hundredths <= 10000);
}

static bool battery(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  uint8_t percent = u8(&in);
  put(out, 0, percent);
  return is_whole(&in, false) && percent <= 100;
}

// MARK: CORE and Moxy

enum { core, skin, quality, heart_rate_state, core_bpm, strain };
static const char *const core_fields[] = {
  "core_temperature_c", "skin_temperature_c", "quality", "heart_rate_state", "bpm", "heat_strain_index"};

static void put_celsius(struct reading *out, int field, int16_t hundredths, bool is_fahrenheit) {
  if (hundredths == INT16_MAX) return;
  double degrees = hundredths / 100.0;
  put(out, field, is_fahrenheit ? (degrees - 32) * 5 / 9 : degrees);
}

static bool core_body_temperature(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  uint8_t flags = u8(&in);
  put_celsius(out, core, i16(&in), flags & 0x08);
  if (flags & 0x01) put_celsius(out, skin, i16(&in), flags & 0x08);
  if (flags & 0x02) skip(&in, 2);
  if (flags & 0x04) {
    uint8_t byte = u8(&in), word = byte & 7;
    if (word != 5 && word != 6) put(out, quality, word);
    put(out, heart_rate_state, byte >> 4 & 3);
  }
  uint8_t rate = flags & 0x10 ? u8(&in) : 0;
  if (rate != 0) put(out, core_bpm, rate);
  uint8_t tenths = flags & 0x20 ? u8(&in) : 0xff;
  if (tenths != 0xff) put(out, strain, tenths / 10.0);
  return is_whole(&in, flags & 0xc0);
}

enum { smo2, thb, previous_smo2, message_count };
static const char *const moxy_fields[] = {"smo2_pct", "thb_g_per_dl", "smo2_previous_pct", "message_count"};

static bool moxy(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  uint16_t messages = u16(&in), saturation = u16(&in), previous = u16(&in), haemoglobin = u16(&in);
  skip(&in, 1);
  if (!is_whole(&in, false) || saturation > 1000 || previous > 1000 || haemoglobin > 4000) return false;
  put(out, smo2, saturation / 10.0);
  put(out, thb, haemoglobin / 100.0);
  put(out, previous_smo2, previous / 10.0);
  put(out, message_count, messages);
  return true;
}

// MARK: Tire pressure, by adverts

enum {
  gauge, absolute, cap_temperature, cap_battery, alarm, wheel_index, sensor_id, volts, variant_a, variant_b, address,
  status_raw
};
static const char *const cap_fields[] = {
  "pressure_gauge_pa", "pressure_absolute_pa", "temperature_c", "battery_pct", "alarm", "wheel_index", "sensor_id",
  "battery_v", "pressure_gauge_pa_variant_a", "pressure_pa_variant_b", "sensor_address", "status_raw"};

// TPMS1, company 0x0100.
static bool indexed_cap(struct input *in, struct reading *out) {
  uint8_t mark = u8(in);
  uint16_t maker = u16(in);
  const uint8_t *id = take(in, 3);
  int32_t pascals = i32(in), hundredths = i32(in);
  uint8_t charge = u8(in), has_alarm = u8(in);
  if (!is_whole(in, false) || (mark & 0xf8) != 0x80 || maker != 0xcaea) return false;
  if (pascals < -40000 || pascals > 2000000 || hundredths < -6000 || hundredths > 15000 || charge > 100) return false;
  put(out, gauge, pascals);
  put(out, cap_temperature, hundredths / 100.0);
  put(out, cap_battery, charge);
  put(out, alarm, has_alarm != 0);
  put(out, wheel_index, mark - 0x80 + 1);
  put(out, sensor_id, id[0] << 16 | id[1] << 8 | id[2]);
  return true;
}

// BR: status and battery stand in the company's place.
static bool nameless_cap(struct input *in, uint16_t company, struct reading *out) {
  const double step = 689.4757293168;
  int8_t degrees = i8(in);
  unsigned steps = (unsigned)u8(in) << 8;
  steps |= u8(in);
  skip(in, 2);
  uint8_t tenths = (uint8_t)(company >> 8);
  if (!is_whole(in, false) || tenths < 15 || tenths > 40 || degrees < -50 || steps > 2000) return false;
  put(out, gauge, ((double)steps - 145) * step);
  put(out, absolute, steps * step);
  put(out, cap_temperature, degrees);
  put(out, volts, tenths / 10.0);
  put(out, status_raw, company & 0xff);
  return true;
}

// ITPMS, company 0x00AC: its address is at the end, and must be the sender's.
static bool addressed_cap(struct input *in, uint64_t sender, struct reading *out) {
  double voltage = (u8(in) + 122) / 100.0;
  uint8_t low = u8(in);
  int degrees = u8(in) - 55;
  skip(in, 3);
  uint8_t high = u8(in), hundredths = u8(in);
  skip(in, 1);
  uint64_t own = u24(in);
  own |= (uint64_t)u24(in) << 24;
  if (!is_whole(in, false) || (sender != 0 && sender != own)) return false;
  put(out, cap_temperature, degrees);
  put(out, volts, voltage);
  put(out, variant_a, (hundredths - 2.0) / 103 * 100000);
  put(out, variant_b, (high << 8 | low) * 3144.0);
  put(out, address, (double)own);
  return true;
}

// Michelin, company 0x0828: length and place of the pressure depend on the type.
static bool michelin_cap(struct input *in, struct reading *out) {
  if (u8(in) != 0x01) return false;
  uint8_t type = u8(in);
  double degrees = u8(in) - 60.0, voltage = (u8(in) + 100) / 100.0, pascals = 0;
  bool has_pressure = type != 2 && type != 6;
  switch (type) {
  case 3: case 4: case 0x0c:
    pascals = u16(in) * 100.0;
    skip(in, type == 0x0c ? 11 : 8);
    break;
  case 5:
    skip(in, 8);
    pascals = u16(in) * 100.0;
    break;
  case 2: case 6: skip(in, 8); break;
  default: return false;
  }
  if (!is_whole(in, type == 5)) return false;
  if (has_pressure) put(out, gauge, pascals - 100000);
  if (has_pressure) put(out, absolute, pascals);
  put(out, cap_temperature, degrees);
  put(out, volts, voltage);
  return true;
}

static bool tire_pressure(struct device *device, const struct packet *packet, int64_t time, struct reading *out) {
  (void)device, (void)time;
  struct input in = input_of(packet);
  clear(out);
  if (packet->is_named_br) return nameless_cap(&in, packet->company, out);
  switch (packet->company) {
  case 0x00ac: return addressed_cap(&in, packet->address, out);
  case 0x0100: return indexed_cap(&in, out);
  case 0x0828: return michelin_cap(&in, out);
  default: return false;
  }
}

const struct profile stateless_profiles[] = {
  {"heart_rate", UUID16("2a37"), heart_rate, heart_rate_fields},
  {"pulse_oximeter", UUID16("2a5f"), oximeter, oximeter_fields},
  {"environment", UUID16("2a6c"), elevation, elevation_fields},
  {"environment", UUID16("2a6d"), pressure, pressure_fields},
  {"environment", UUID16("2a6e"), temperature, temperature_fields},
  {"environment", UUID16("2a6f"), humidity, humidity_fields},
  {"battery", UUID16("2a19"), battery, battery_fields},
  {"core_body_temperature", "00002101-5b1e-4347-b07c-97b514dae121", core_body_temperature, core_fields},
  {"moxy", "6404d804-4cb9-11e8-b566-0800200c9a66", moxy, moxy_fields},
  {"tire_pressure", "advert", tire_pressure, cap_fields},
};
const size_t stateless_profile_count = sizeof stateless_profiles / sizeof *stateless_profiles;
