// CRC-32 as zlib, gzip and Ethernet compute it: finds bytes that a disk damaged.

internal import CZlib

/// The checksum of some bytes.
public func crc32(_ bytes: Span<UInt8>) -> UInt32 {
  // The library reads the bytes during the call only. Of no bytes the sum is 0, which it also
  // returns for a null pointer.
  unsafe bytes.withUnsafeBufferPointer { buffer in
    UInt32(truncatingIfNeeded: unsafe CZlib.crc32_z(0, buffer.baseAddress, buffer.count))
  }
}
