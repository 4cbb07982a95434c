// Resolves prefixes to namespaces. The library can do that too, but then it refuses files with an
// undeclared prefix, which some programs write.

struct NamespaceScope {
  private struct Binding {
    /// Empty for the default.
    let prefix: Substring
    let namespace: String
    let depth: Int
  }

  private var bindings: [Binding] = []
  /// Names that were resolved since the bindings changed.
  private var resolved: [String: XMLName] = [:]

  /// Adds the declaration of an element, if the attribute is one.
  mutating func declare(_ attribute: String, _ value: String, depth: Int) -> Bool {
    guard attribute.utf8.starts(with: "xmlns".utf8) else { return false }
    let rest = attribute.dropFirst(5)
    guard rest.isEmpty || rest.first == ":" else { return false }
    bindings.append(Binding(prefix: rest.dropFirst(), namespace: value, depth: depth))
    resolved.removeAll(keepingCapacity: true)
    return true
  }

  /// Removes the declarations of an element that ends.
  mutating func end(depth: Int) {
    guard let last = bindings.last, last.depth >= depth else { return }
    while let last = bindings.last, last.depth >= depth { bindings.removeLast() }
    resolved.removeAll(keepingCapacity: true)
  }

  mutating func element(_ name: String) -> XMLName {
    if let known = resolved[name] { return known }
    let (prefix, local) = Self.parts(name)
    let new = XMLName(local, namespace: namespace(prefix))
    resolved[name] = new
    return new
  }

  /// An attribute without a prefix is in no namespace.
  func attribute(_ name: String) -> XMLName {
    let (prefix, local) = Self.parts(name)
    return XMLName(local, namespace: prefix.isEmpty ? nil : namespace(prefix))
  }

  private static func parts(_ name: String) -> (prefix: Substring, local: String) {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return ("", name) }
    return (name[..<colon], String(name[name.utf8.index(after: colon)...]))
  }

  private func namespace(_ prefix: Substring) -> String? {
    guard let found = bindings.last(where: { $0.prefix == prefix })?.namespace, !found.isEmpty else { return nil }
    return found
  }
}
