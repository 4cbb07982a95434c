// Invariants of every line that Cyclometer writes: valid JSON for its own strict reader, an object
// with a class, no repeated member.

public import JSON

/// The records of complete lines.
public func records(of lines: [UInt8]) -> [JSONValue] {
  require(lines.isEmpty || lines.last == UInt8(ascii: "\n"), "the last line has no end")
  return lines.split(separator: UInt8(ascii: "\n")).map { line in
    do throws(JSONError) {
      let record = try JSONValue.parse(Array(line))
      require(record["class"]?.text != nil, "a record without a class: \(text(line))")
      requireSingleMembers(record, line)
      return record
    } catch {
      fatalError("finding: \(error): \(text(line))")
    }
  }
}

private func requireSingleMembers(_ value: JSONValue, _ line: ArraySlice<UInt8>) {
  for item in value.items ?? [] { requireSingleMembers(item, line) }
  guard let members = value.members else { return }
  for (index, member) in members.enumerated() {
    require(!members[..<index].contains { $0.name == member.name }, "\(member.name) occurs twice: \(text(line))")
    requireSingleMembers(member.value, line)
  }
}

private func text(_ line: ArraySlice<UInt8>) -> String { String(decoding: line, as: UTF8.self) }
