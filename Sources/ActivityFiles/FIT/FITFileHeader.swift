// The first bytes of a FIT file.

struct FITFileHeader {
  static let signature = Array(".FIT".utf8)
  /// All that readers need; longer headers are allowed.
  static let size = 14
  /// 2.0, which has developer fields.
  private static let protocolVersion: UInt8 = 0x20
  private static let profileVersion = 21218

  static func bytes(dataSize: Int) -> [UInt8] {
    var header: [UInt8] = [UInt8(size), protocolVersion]
    header.appendLittleEndian(UInt64(profileVersion), count: 2)
    header.appendLittleEndian(UInt64(dataSize), count: 4)
    header += signature
    var checksum = FITChecksum()
    checksum.update(header.span)
    header.appendLittleEndian(UInt64(checksum.value), count: 2)
    return header
  }
}
