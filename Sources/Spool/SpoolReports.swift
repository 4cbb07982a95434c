// What the spool reports: its items, and what goes wrong.

public import Fleet
public import Linux

/// What is to be sent next.
public enum SpoolItem: Equatable, Sendable {
  case batch(UInt64)
  /// Batches are missing here. Acknowledge it by the number of the last of them.
  case loss(UInt64, LossRecord)

  public var number: UInt64 {
    switch self {
    case .batch(let number), .loss(let number, _): number
    }
  }
}

/// What a person should know. Each is reported once.
public enum SpoolProblem: Equatable, Sendable, CustomStringConvertible {
  /// Batches are kept in memory, at most 1 MiB of them, until the disk takes them again.
  case notWritable(SystemError)
  case writableAgain
  case notReadable(SystemError)
  /// An earlier run ended, or power failed, in the middle of an entry.
  case torn(path: String, bytes: Int64)
  case damaged(path: String, offset: Int64)
  /// A newer release wrote the file. It is left alone.
  case newerFormat(path: String)
  /// The oldest batches had to go.
  case full(LossRecord)
  /// Batches cannot be read, or the broker does not take their size.
  case lost(LossRecord)

  public var description: String {
    switch self {
    case .notWritable(let error): "cannot store batches, so the newest are only in memory: \(error)"
    case .writableAgain: "batches are stored again"
    case .notReadable(let error): "cannot read stored batches: \(error)"
    case .torn(let path, let bytes): "\(path): ignored \(bytes) bytes of a batch that was not written to its end"
    case .damaged(let path, let offset): "\(path): damaged at byte \(offset); its batch is lost"
    case .newerFormat(let path): "\(path): written by a newer release, so it is not sent; install that release"
    case .full(let loss):
      "full: dropped the oldest batches\(loss.records.map { " (\($0) records)" } ?? ""); raise SpoolMiB to keep more"
    case .lost(let loss):
      "lost batches \(loss.batches.first ?? 0) to \(loss.batches.last ?? 0)\(loss.records.map { " (\($0) records)" } ?? "")"
    }
  }
}

/// What waits.
public struct SpoolCounts: Equatable, Sendable {
  public internal(set) var batches = 0
  public internal(set) var records = 0
  /// On the disk, or in memory.
  public internal(set) var bytes: Int64 = 0
}
