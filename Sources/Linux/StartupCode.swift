// Reduces resident memory after startup. The kernel maps code generously, and much of it
// (relocation, initialization of the runtime and libraries) runs only once.

internal import CLinux

public enum StartupCode {
  /// Releases the pages of code. Code is never modified, so pages that are needed again come back
  /// from the page cache. If the list of mappings cannot be read, nothing is released.
  public static func release() {
    guard let maps = try? Files.read("/proc/self/maps") else { return }
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      guard let mapping = CodeMapping(line) else { continue }
      _ = cyclometer_unmap_pages(mapping.start, mapping.end)
    }
  }
}

/// A line of /proc/self/maps: `start-end r-xp offset device inode /path`. Only executable mappings
/// of files are used. Relocated constants look read-only too, but would lose their relocations.
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
