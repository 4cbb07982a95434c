// What the readers of GPX and TCX files share: the parser, and the order in which items, warnings and
// omissions come.

import Expat

/// What one format makes of XML.
protocol XMLContent {
  /// Why the file is refused.
  var refusal: String? { get }
  /// Why it is, if there was nothing in it.
  var emptiness: String { get }
  var problems: ReadProblems { get }
  var omissions: XMLOmissions { get }

  mutating func add(_ event: XMLEvent, _ emit: (ActivityItem) -> Void)
  /// Returns whether there is anything in the file.
  mutating func finish(_ emit: (ActivityItem) -> Void) -> Bool
  /// Emits some of what is left after `finish`. Returns whether there is more.
  mutating func emitSome(_ emit: (ActivityItem) -> Void) -> Bool
}

struct XMLItems<Content: XMLContent> {
  private var file = XMLFile()
  private var content: Content
  private var hasEnded = false

  init(_ content: Content) { self.content = content }

  mutating func feed(_ bytes: Span<UInt8>, item: (ActivityItem) -> Void) throws(ActivityFileError) {
    try file.feed(bytes) { content.add($0, item) }
    if let refusal = content.refusal { throw ActivityFileError(refusal) }
  }

  mutating func finishSome(item: (ActivityItem) -> Void) throws(ActivityFileError) -> Bool {
    if !hasEnded {
      hasEnded = true
      try file.finish { content.add($0, item) }
      if let refusal = content.refusal { throw ActivityFileError(refusal) }
      let isKept = content.finish(item)
      guard isKept else { throw ActivityFileError(file.failure ?? content.emptiness) }
    }
    if content.emitSome(item) { return true }
    var problems = content.problems
    file.report(to: &problems)
    for warning in problems.sentences { item(.warning(warning)) }
    for omission in content.omissions.texts { item(.omission(omission)) }
    return false
  }
}
