// How many records a reply can hold: its line has a limit, and names can be long.

import JSON
package import Wire

package enum ReplyPage {
  /// Bytes of records in a reply. Its line is longer by the id of the request.
  private static let mostBytes = 60_000

  /// How many of the records one line can hold: at least one. `mostBytes` says how long a record can
  /// be at most: most pages fit by far, and writing each record twice would double the work.
  package static func countThatFits<Record: WireObject>(_ records: [Record], mostBytes: (Record) -> Int) -> Int {
    if records.reduce(0, { $0 + mostBytes($1) }) <= Self.mostBytes { return records.count }
    var writer = JSONWriter()
    for (index, record) in records.enumerated() {
      record.write(into: &writer)
      if writer.bytes.count + index > Self.mostBytes { return max(1, index) }
    }
    return records.count
  }

  /// JSON writes a byte as at most six.
  package static func mostBytes(of texts: String?...) -> Int {
    6 * texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
