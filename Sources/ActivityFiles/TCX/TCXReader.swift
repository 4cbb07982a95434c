// Reads activities and courses of TCX files, also truncated ones.

/// A copy shares the parser with the original, so use only one of them.
public struct TCXReader: ActivityReader {
  private var items: XMLItems<TCXContent>

  /// With `route`, the points of an activity are a route, too; with `activity`, courses are refused.
  public init(as wanted: ActivityHeader.Content? = nil) {
    items = XMLItems(TCXContent(as: wanted))
  }

  public mutating func feed(_ bytes: Span<UInt8>, item: (ActivityItem) -> Void) throws(ActivityFileError) {
    try items.feed(bytes, item: item)
  }

  public mutating func finish(item: (ActivityItem) -> Void) throws(ActivityFileError) {
    while try finishSome(item: item) {}
  }

  public mutating func finishSome(item: (ActivityItem) -> Void) throws(ActivityFileError) -> Bool {
    try items.finishSome(item: item)
  }
}
