// A QR code of a text, over libqrencode. It has no quiet zone: the drawing needs four modules
// of the light colour around it.

internal import CQRCode

/// The squares of a code, called modules.
public struct QRCode: Equatable, Sendable {
  /// Modules of a side.
  public let size: Int
  private let dark: [Bool]

  /// Nil if a code cannot hold the text: it holds up to 2,953 bytes, and at least one.
  ///
  /// The code corrects few errors, because a screen gets neither dirty nor torn, and larger modules
  /// are read from further away.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, let count = Int32(exactly: bytes.count) else { return nil }
    // The library reads the bytes during the call only. 0 chooses the smallest version.
    guard let code = unsafe QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_L) else { return nil }
    defer { unsafe QRcode_free(code) }
    let size = unsafe Int(code.pointee.width)
    // There is a byte for each module, from left to right and from top to bottom. Its lowest bit is
    // set if the module is dark.
    dark = unsafe UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    self.size = size
  }

  public func isDark(row: Int, column: Int) -> Bool { dark[row * size + column] }

  /// A text for each row, from the top: `1` for a dark module and `0` for a light one.
  public var rows: [String] {
    (0..<size).map { row in
      String(decoding: dark[row * size..<(row + 1) * size].map { UInt8(ascii: $0 ? "1" : "0") }, as: UTF8.self)
    }
  }
}
