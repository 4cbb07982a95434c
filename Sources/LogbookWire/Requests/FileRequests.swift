// Requests that move files.

package import Time

package enum ExportFormat: String, CaseIterable, Sendable {
  case fit, gpx, tcx, csv, ndjson
}

package struct ExportRequest: LogbookRequest {
  package typealias Reply = TransferReply
  package static let method = LogbookMethod.export
  package var id = 0
  package var format = ExportFormat.fit
  /// For an activity whose date is unknown.
  package var start: WallTime?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
    members.needed(word: "format", &format)
    members.time("start", &start)
  }
}

package enum ImportTarget: String, CaseIterable, Sendable {
  case activity, route
}

/// The client then sends the content with `put`.
package struct ImportRequest: LogbookRequest {
  package typealias Reply = TransferReply
  package static let method = LogbookMethod.import
  /// The name of the file. Its end helps to recognize the format.
  package var name = ""
  /// The size of the file.
  package var bytes = 0
  /// Nil to decide by the content.
  package var target: ImportTarget?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(text: "name", &name, atMost: RequestLimits.name)
    members.needed(whole: "bytes", &bytes, in: 1...RequestLimits.backup)
    members.word("as", &target)
  }
}

/// A piece of an upload. The last one has `end`.
package struct PutRequest: LogbookRequest {
  package typealias Reply = PutReply
  package static let method = LogbookMethod.put
  package var transfer = 0
  /// The place of the first byte in the whole.
  package var offset = 0
  package var piece = Piece()
  package var end = false
  /// Of the last piece: the bytes of the whole.
  package var bytes: Int?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "transfer", &transfer)
    members.needed(whole: "offset", &offset, in: 0...RequestLimits.backup)
    members.needed(bytes: "base64", &piece)
    members.flag("end", &end)
    members.whole("bytes", &bytes, in: 0...RequestLimits.backup)
    members.require(bytes == nil || bytes == offset + piece.bytes.count, "bytes is where the last piece ends")
  }
}
