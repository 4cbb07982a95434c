// Reads activities and courses of TCX files, also truncated ones.

/// A copy shares the parser with the original, so use only one of them.
public struct TCXReader: ActivityReader {
  private var file = XMLFile()
  private var content: TCXContent

  /// With `route`, the points of an activity are a route, too; with `activity`, courses are refused.
  public init(as wanted: ActivityHeader.Content? = nil) {
    content = TCXContent(as: wanted)
  }

  public mutating func feed(_ bytes: Span<UInt8>, item: (ActivityItem) -> Void) throws(ActivityFileError) {
    try file.feed(bytes) { content.add($0, item) }
    if let refusal = content.refusal { throw ActivityFileError(refusal) }
  }

  public mutating func finish(item: (ActivityItem) -> Void) throws(ActivityFileError) {
    try file.finish { content.add($0, item) }
    if let refusal = content.refusal { throw ActivityFileError(refusal) }
    let isKept = content.finish(item)
    guard isKept else { throw ActivityFileError(file.failure ?? content.emptiness) }
    var problems = content.problems
    file.report(to: &problems)
    for warning in problems.sentences { item(.warning(warning)) }
    for omission in content.omissions.texts { item(.omission(omission)) }
  }
}
