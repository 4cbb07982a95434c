// A name that no shared kind has may be a name of the file, or a mistake.

internal import IniFile
internal import Text

enum SpellingCheck {
  static func warning(ofKind section: SectionSyntax) -> SensorFileProblem? {
    guard section.kind == .sample, !KnownFields.isKind(section.name),
      let similar = similarWord(to: section.name, among: KnownFields.kinds)
    else { return nil }
    return SensorFileProblem(
      line: section.line, "\(section.title): no shared kind has this name; the most similar is \(similar)")
  }

  static func warning(
    of entry: IniText.Entry, in kind: String, _ section: SectionSyntax
  ) -> SensorFileProblem? {
    guard !KnownFields.isField(entry.key), let known = KnownFields.names(in: kind),
      let similar = similarWord(to: entry.key, among: known.filter { section.entry($0) == nil })
    else { return nil }
    return SensorFileProblem(
      line: entry.line, "\(entry.key): \(kind) has no field of this name; the most similar is \(similar)")
  }
}
