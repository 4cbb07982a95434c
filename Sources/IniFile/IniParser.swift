// One run of libinih over bytes in memory.

internal import CInih

final class IniParser {
  private(set) var entries: [IniText.Entry] = []
  private let content: [UInt8]
  private var place = 0
  private var line = 0
  /// For each read of libinih, the line it is of. Long lines take several reads, and libinih counts
  /// these.
  private var linesOfReads: [Int] = []

  init(_ content: [UInt8]) {
    self.content = content
  }

  /// Returns the line of the first error, if any.
  func run() -> Int? {
    // libinih calls both functions during this call only, with the pointer it is given.
    let line = unsafe ini_parse_stream(
      { unsafe IniParser.readLine($0, $1, $2) },
      unsafe Unmanaged.passUnretained(self).toOpaque(),
      { unsafe IniParser.add($0, $1, $2, $3) }, unsafe Unmanaged.passUnretained(self).toOpaque())
    return linesOfReads.indices.contains(Int(line) - 1) ? linesOfReads[Int(line) - 1] : nil
  }

  /// Works like `fgets`: one line with its line feed, or null at the end.
  private static func readLine(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ context: UnsafeMutableRawPointer?
  ) -> UnsafeMutablePointer<CChar>? {
    guard let buffer = unsafe buffer, let context = unsafe context else { return nil }
    let parser = unsafe Unmanaged<IniParser>.fromOpaque(context).takeUnretainedValue()
    guard parser.place < parser.content.count, size > 1 else { return nil }
    parser.linesOfReads.append(parser.line + 1)
    var count = 0
    while count < Int(size) - 1, parser.place < parser.content.count {
      let byte = parser.content[parser.place]
      unsafe buffer[count] = CChar(bitPattern: byte)
      count += 1
      parser.place += 1
      if byte == UInt8(ascii: "\n") {
        parser.line += 1
        break
      }
    }
    unsafe buffer[count] = 0
    return unsafe buffer
  }

  /// Called for each key. Returning 1 makes libinih continue.
  private static func add(
    _ context: UnsafeMutableRawPointer?, _ section: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
  ) -> Int32 {
    guard let context = unsafe context, let key = unsafe key else { return 0 }
    let parser = unsafe Unmanaged<IniParser>.fromOpaque(context).takeUnretainedValue()
    // The last line may have no line feed, and a long line counts when its end is read.
    let isWhole = parser.place > 0 && parser.content[parser.place - 1] == UInt8(ascii: "\n")
    let line = isWhole ? parser.line : parser.line + 1
    parser.entries.append(
      unsafe IniText.Entry(
        key: String(cString: key), value: unsafe value.map { unsafe String(cString: $0) } ?? "", line: line))
    return 1
  }
}
