// Reads the activities and routes of FIT files, also of broken ones: every complete message counts,
// and warnings say what is wrong.

public struct FITReader: ActivityReader {
  /// Large pieces are divided, so that the parser holds little.
  private static let pieceSize = 16_384

  private var parser = FITParser()
  private var content = FITContent()
  private var omissions = FITOmissions()
  private var hasContent = false
  private var refusal: String?

  public init() {}

  public mutating func feed(_ bytes: Span<UInt8>, item: (ActivityItem) -> Void) throws(ActivityFileError) {
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Self.pieceSize)
      parser.feed(bytes.extracting(start..<end))
      try readMessages(item)
      start = end
    }
  }

  public mutating func finish(item: (ActivityItem) -> Void) throws(ActivityFileError) {
    if try parser.finish() { endFile(item) }
    let warnings = parser.problems.sentences
    guard hasContent else {
      throw ActivityFileError(([refusal ?? "the file has no records"] + warnings).joined(separator: "; "))
    }
    for warning in warnings { item(.warning(warning)) }
    for omission in omissions.texts { item(.omission(omission)) }
  }

  private mutating func readMessages(_ item: (ActivityItem) -> Void) throws(ActivityFileError) {
    while true {
      switch try parser.next() {
      case .file: content = FITContent()
      case .definition: omissions.add(parser.definition)
      case .message: read(item)
      case .end: endFile(item)
      case .needsBytes: return
      }
    }
  }

  private mutating func read(_ item: (ActivityItem) -> Void) {
    let message = parser.message
    if message.definition.message == FITMessageNumber.fieldDescription {
      if let name = parser.developers.unknownName(message) { omissions.addDeveloperField(name) }
    } else if let problem = content.add(message, parser.developers, item) {
      parser.report(problem)
    }
  }

  private mutating func endFile(_ item: (ActivityItem) -> Void) {
    content.finish(item)
    if content.isWorthKeeping {
      hasContent = true
    } else if hasContent {
      parser.report(.noRecords)
    } else {
      refusal = refusal ?? content.refusal
    }
  }
}
