// The daemon's process on this computer.

import Linux

struct DaemonProcess {
  let number: Int32

  /// The number comes from a socket, which can lead to another computer. So the process must have the
  /// daemon's name. Nil if there is no such process.
  init?(_ number: Int?) {
    guard let number = number.flatMap(Int32.init(exactly:)),
      let name = try? Files.read("/proc/\(number)/comm", atMost: 64), name == Array("cyclometerd\n".utf8)
    else { return nil }
    self.number = number
  }

  /// In bytes.
  struct Memory {
    /// All that is in memory, shared pages too.
    var resident: Double?
    /// Pages that no other process has.
    var anonymous: Double?
  }

  var memory: Memory {
    var memory = Memory()
    // As `VmRSS:      7440 kB`, one per line.
    let status = (try? Files.read("/proc/\(number)/status", atMost: 64 << 10)) ?? []
    for line in status.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "VmRSS:".utf8) { memory.resident = Self.bytes(line) }
      if line.starts(with: "RssAnon:".utf8) { memory.anonymous = Self.bytes(line) }
    }
    return memory
  }

  private static func bytes(_ line: ArraySlice<UInt8>) -> Double? {
    let digits = line.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Double(String(decoding: digits, as: UTF8.self)).map { $0 * 1024 }
  }
}
