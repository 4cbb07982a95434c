// Transfers: files and long results travel in pieces, one piece per line.

package import JSON
package import Wire

/// Bytes of a transfer. In JSON they are Base64.
package struct Piece: WireValue {
  /// So that the line of a piece stays below the limit.
  package static let mostBytes = 45_000

  package let bytes: [UInt8]

  package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  package init?(wire json: JSONValue) {
    guard let text = json.text, text.utf8.count <= Self.mostBytes / 3 * 4, let bytes = Base64.decode(text.utf8)
    else { return nil }
    self.bytes = bytes
  }

  package func write(into writer: inout JSONWriter) {
    let quote = UInt8(ascii: "\"")
    writer.encoded(([quote] + Base64.encode(bytes) + [quote])[...])
  }
}

/// A piece of a transfer to the client.
package struct DataRecord: Record, WireObject {
  package static let className = "data"
  package private(set) var transfer = 0
  /// The place of the first byte in the whole.
  package private(set) var offset = 0
  package private(set) var piece = Piece()
  /// Of the last piece: the bytes of the whole.
  package private(set) var totalBytes: Int?
  private var isEnd = false

  package var isLast: Bool { isEnd }

  package init() {}

  package init(transfer: Int, offset: Int, _ bytes: [UInt8], isLast: Bool) {
    self.transfer = transfer
    self.offset = offset
    piece = Piece(bytes)
    isEnd = isLast
    totalBytes = isLast ? offset + bytes.count : nil
  }

  package mutating func visit(_ members: inout Members) {
    members.needed("transfer", &transfer)
    members.needed("offset", &offset)
    members.needed("base64", &piece)
    members.member("end", &isEnd, unless: false)
    members.member("bytes", &totalBytes)
  }
}

/// The reply that begins a transfer to the client, or that allows an upload.
package struct TransferReply: WireObject {
  package var transfer = 0
  /// A name for the file, without a folder.
  package var name: String?
  /// What the format cannot hold, in sentences.
  package var leftOut: [String] = []

  package init() {}

  package init(transfer: Int, name: String? = nil, leftOut: [String] = []) {
    self.transfer = transfer
    self.name = name
    self.leftOut = leftOut
  }

  package mutating func visit(_ members: inout Members) {
    members.needed("transfer", &transfer)
    members.member("name", &name)
    members.member("left_out", &leftOut, unless: [])
  }
}

/// The reply to `put`. What was imported comes with the last one.
package struct PutReply: WireObject {
  /// How many bytes have arrived.
  package var bytes = 0
  /// The new activities. Nil before the last piece.
  package var added: [Int]?
  package var routes: [Int] = []
  package var warnings: [String] = []
  /// Activities that are the same as one in the file, which was therefore not added.
  package var duplicateOf: [Int] = []

  package init() {}

  package init(bytes: Int) { self.bytes = bytes }

  package mutating func visit(_ members: inout Members) {
    members.needed("bytes", &bytes)
    members.member("added", &added)
    members.member("routes", &routes, unless: [])
    members.member("warnings", &warnings, unless: [])
    members.member("duplicate_of", &duplicateOf, unless: [])
  }
}
