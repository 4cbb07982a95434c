// Resident memory after the start: the kernel maps code in generous pieces, and most of what a program does once (relocating,
// setting up its runtime and libraries) it never does again.

internal import CLinux

public enum StartupCode {
  /// Gives the pages of code back. Code is never written, so whatever goes on being used comes back from the page cache at its
  /// next use; where the list of mappings cannot be read, nothing is given back.
  public static func release() {
    guard let maps = try? Files.read("/proc/self/maps") else { return }
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      guard let mapping = CodeMapping(line) else { continue }
      _ = cyclometer_unmap_pages(mapping.start, mapping.end)
    }
  }
}

/// A line of /proc/self/maps: `start-end r-xp offset device inode /path`. Only code that a file backs is taken: constants that
/// were relocated look read-only as well, and would lose what was written to them.
struct CodeMapping: Equatable {
  let start: UInt
  let end: UInt

  init?(_ line: ArraySlice<UInt8>) {
    let words = line.split(separator: UInt8(ascii: " "))
    guard words.count >= 6, words[1].elementsEqual("r-xp".utf8), words[5].first == UInt8(ascii: "/") else { return nil }
    let bounds = words[0].split(separator: UInt8(ascii: "-")).map {
      UInt(String(decoding: $0, as: UTF8.self), radix: 16)
    }
    guard bounds.count == 2, let start = bounds[0], let end = bounds[1] else { return nil }
    self.start = start
    self.end = end
  }
}
