// FIT files made byte by byte, for shapes that our writer never produces.

@testable import ActivityFiles

struct FITFile {
  var data: [UInt8] = []

  /// `fields`: number, size, base type.
  mutating func define(
    _ local: UInt8, _ message: UInt16, _ fields: [(UInt8, UInt8, UInt8)], bigEndian: Bool = false,
    developer: [(UInt8, UInt8, UInt8)] = []
  ) {
    data.append((developer.isEmpty ? 0x40 : 0x60) | local)
    data += [0, bigEndian ? 1 : 0]
    data += bigEndian ? [UInt8(message >> 8), UInt8(message & 0xff)] : [UInt8(message & 0xff), UInt8(message >> 8)]
    data.append(UInt8(fields.count))
    for field in fields { data += [field.0, field.1, field.2] }
    guard !developer.isEmpty else { return }
    data.append(UInt8(developer.count))
    for field in developer { data += [field.0, field.1, field.2] }
  }

  mutating func message(_ local: UInt8, _ content: [UInt8]...) {
    data.append(local)
    data += content.joined()
  }

  mutating func fileID(type: UInt8 = 4) {
    define(0, 0, [(0, 1, 0)])
    message(0, [type])
  }

  /// Defines records of heart rate as local type 1.
  mutating func defineHeartRate() {
    define(1, 20, [(253, 4, 0x86), (3, 1, 2)])
  }

  mutating func heartRate(_ value: UInt8, at time: UInt32) {
    message(1, uint32(time), [value])
  }

  /// With a header and the checksum.
  var bytes: [UInt8] {
    var bytes = FITFileHeader.bytes(dataSize: data.count) + data
    var checksum = FITChecksum()
    checksum.update(bytes.span)
    bytes.appendLittleEndian(UInt64(checksum.value), count: 2)
    return bytes
  }
}

func uint32(_ value: UInt32, bigEndian: Bool = false) -> [UInt8] {
  let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  return bigEndian ? bytes.reversed() : bytes
}

func uint16(_ value: UInt16, bigEndian: Bool = false) -> [UInt8] {
  let bytes = [UInt8(value & 0xff), UInt8(value >> 8)]
  return bigEndian ? bytes.reversed() : bytes
}
