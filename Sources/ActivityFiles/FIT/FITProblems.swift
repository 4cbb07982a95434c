// What is wrong with a FIT file that can be read all the same.

enum FITProblem: Hashable {
  case headerChecksum, checksum, truncated, noSize, wrongSize, longHeader(Int), newProtocol(Int), zeros
  case noDefinition, byteOrder, trailing
  case noFileID, noDate, clockChanged, outOfOrder
  case noRecords

  func sentence(count: Int) -> String {
    switch self {
    case .headerChecksum: "the checksum of the header is wrong"
    case .checksum: "the checksum is wrong: some values may be damaged"
    case .truncated: "the file is truncated: all complete messages were read"
    case .noSize: "the header has no size, so the recording was cut off: all complete messages were read"
    case .wrongSize: "the size in the header does not match the messages"
    case .longHeader(let size): "the header has \(size) bytes instead of 14"
    case .newProtocol(let version): "the file has version \(version) of the FIT protocol, which is unknown"
    case .zeros: "the file ends with zeros, so the recording was cut off: the messages before them were read"
    case .noDefinition: "a message has no definition: what follows it could not be read"
    case .byteOrder: "a definition has an unknown byte order"
    case .trailing: "the bytes after the end are not a second FIT file and were ignored"
    case .noFileID: "the file has no file_id message"
    case .noDate: "the times count from when the device was switched on, so the date is unknown"
    case .clockChanged: "the clock was changed during the activity: its times continue without the jump"
    case .outOfOrder:
      count == 1 ? "one record was out of order and dropped" : "\(count) records were out of order and dropped"
    case .noRecords: "no records"
    }
  }
}

/// The problems of a file, in the order in which they were found, each once.
struct FITProblems {
  private struct Entry {
    let problem: FITProblem
    /// Counts from 1 in a chain of files.
    let file: Int
    var count: Int
  }

  private static let mostEntries = 100
  private var entries: [Entry] = []

  mutating func add(_ problem: FITProblem, file: Int) {
    if let known = entries.firstIndex(where: { $0.problem == problem && $0.file == file }) {
      entries[known].count += 1
    } else if entries.count < Self.mostEntries {
      entries.append(Entry(problem: problem, file: file, count: 1))
    }
  }

  var sentences: [String] {
    entries.map { entry in
      (entry.file > 1 ? "file \(entry.file) of the chain: " : "") + entry.problem.sentence(count: entry.count)
    }
  }
}
