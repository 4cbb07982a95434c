// The open descriptors of this process, for tests of leaks.

internal import Foundation

/// How many descriptors of each type are open: sockets, pipes, and files by path.
public func openDescriptors() -> [String: Int] {
  let folder = "/proc/self/fd"
  var sorts: [String: Int] = [:]
  for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
    // A descriptor that is already closed was that of the listing.
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else { continue }
    let sort = target.hasPrefix("/") ? target : String(target.prefix { $0 != "[" || target.hasPrefix("anon_inode") })
    sorts[sort, default: 0] += 1
  }
  return sorts
}
