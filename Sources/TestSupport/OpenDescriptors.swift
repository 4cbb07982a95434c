// What this process has open, for tests of leaks.

internal import Foundation

/// How many descriptors of each sort: sockets, pipes, each file by its path.
public func openDescriptors() -> [String: Int] {
  let folder = "/proc/self/fd"
  var sorts: [String: Int] = [:]
  for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
    // One that is closed by now was the listing's own.
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else { continue }
    let sort = target.hasPrefix("/") ? target : String(target.prefix { $0 != "[" || target.hasPrefix("anon_inode") })
    sorts[sort, default: 0] += 1
  }
  return sorts
}
