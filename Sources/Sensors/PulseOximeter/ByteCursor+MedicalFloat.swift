// Reads the 16-bit floats of pulse oximeters.

import SensorKit

extension ByteCursor {
  /// Nil if it is unknown.
  mutating func medicalFloat(_ bytes: Span<UInt8>) throws(DecodeError) -> Double? {
    SensorKit.medicalFloat(try uint16(bytes))
  }
}
