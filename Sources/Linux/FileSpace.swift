// How much room a file system has, and what a file takes.

internal import CLinux

extension Files {
  /// The bytes that this user may still write to the file system of a path.
  public static func space(at path: String) throws(SystemError) -> Int64 {
    var status = statvfs()
    do throws(SystemError) {
      try systemCall("statvfs") { unsafe statvfs(path, &status) }
    } catch {
      throw error.about(path)
    }
    let (space, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int64(clamping: status.f_frsize))
    return overflow ? .max : space
  }

  /// Nil if the file does not exist.
  public static func size(of path: String) -> Int64? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }
}

extension FileDescriptor {
  /// Returns when everything written is on the device.
  public func sync() throws(SystemError) {
    try syncDescriptor(number)
  }
}
