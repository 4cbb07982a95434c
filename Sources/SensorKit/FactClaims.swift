// Which of a sensor's plugins is believed about a fact, where several tell it: a trainer has the features of its speed
// service and those of its power service, and both call one of them `wheel_revolution_data`. What one service can do, the
// sensor can; of other facts the first plugin in the order of the registry is believed. So the order of the reads, which
// changes from one connection to the next, changes nothing.

struct FactClaims {
  private struct Claim {
    let field: Field
    let plugin: Int
    var value: Batch.Value
  }

  private var claims: [Claim] = []

  /// Notes what a plugin told; false where another plugin's word stands against it.
  mutating func isBelieved(_ plugin: Int, _ field: Field, _ value: Batch.Value) -> Bool {
    if let index = claims.firstIndex(where: { $0.plugin == plugin && $0.field == field }) {
      claims[index].value = value
    } else {
      claims.append(Claim(field: field, plugin: plugin, value: value))
    }
    return !claims.contains { other in
      guard other.field == field, other.plugin != plugin else { return false }
      if case .flag(let isSo) = value { return !isSo && other.value == .flag(true) }
      return other.plugin < plugin
    }
  }
}
