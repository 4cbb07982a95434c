// Cycling Power Feature, 0x2A65: the abilities of the meter, one fact per bit.

import SensorKit

private let features: [(bit: UInt32, field: Field)] = [
  (0, Field("pedal_balance")),
  (1, Field("accumulated_torque")),
  (2, .wheelRevolutionData),
  (3, .crankRevolutionData),
  (4, Field("extreme_magnitudes")),
  (5, Field("extreme_angles")),
  (6, Field("dead_spot_angles")),
  (7, Field("accumulated_energy")),
  (8, Field("offset_compensation_indicator")),
  (9, .offsetCompensation),
  (10, Field("content_masking")),
  (11, Field("multiple_sensor_locations")),
  (12, Field("crank_length_adjustment")),
  (13, Field("chain_length_adjustment")),
  (14, Field("chain_weight_adjustment")),
  (15, Field("span_length_adjustment")),
  (17, Field("instantaneous_direction")),
  (18, Field("factory_calibration_date")),
  (19, Field("enhanced_offset_compensation")),
]

func decodeCyclingPowerFeature(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
  var cursor = ByteCursor()
  let bits = try cursor.uint32(value)
  try cursor.finish(value)
  let distributed = bits >> 20 & 3
  guard distributed < 3 else { throw DecodeError(.reservedValue, at: 2) }
  for feature in features { batch.fact(feature.field, bits >> feature.bit & 1 != 0) }
  batch.fact(Field("measurement_context"), bits >> 16 & 1 == 0 ? "force" : "torque")
  let words: InlineArray<3, Word> = ["unspecified", "not_for_distributed", "for_distributed"]
  batch.fact(.distributedSystem, words[Int(distributed)])
}
