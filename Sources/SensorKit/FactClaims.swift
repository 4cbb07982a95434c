// Chooses between several plugins of a sensor that report the same fact. A trainer, for example,
// has `wheel_revolution_data` both in its speed service and in its power service. For a flag, any
// true wins, because what one service can do the sensor can do. For other facts the first plugin in
// the registry wins. The result does not depend on the order of the reads, which changes between
// connections.

import Vocabulary

struct FactClaims {
  private struct Claim {
    let field: Field
    let plugin: Int
    /// The value of a flag.
    var flag: Bool?
    /// Another plugin reports this fact too.
    var hasRival: Bool
  }

  private var claims: [Claim] = []

  /// Facts usually arrive in the same order as last time.
  private var next = 0

  /// The plugins have other indices now; nil for one that is gone.
  mutating func renumber(_ index: (Int) -> Int?) {
    let former = claims
    self = FactClaims()
    for claim in former {
      if let plugin = index(claim.plugin) { _ = place(of: claim.field, plugin, claim.flag) }
    }
  }

  func contain(_ name: String) -> Bool { claims.contains { $0.field.name.description == name } }

  /// Records a fact of a plugin. Returns false if another plugin's value has precedence. `flag` is
  /// the value of a flag.
  @inline(__always)
  mutating func isBelieved(_ plugin: Int, _ field: Field, flag: Bool?) -> Bool {
    if next < claims.count, claims[next].plugin == plugin, claims[next].field == field, claims[next].flag == flag,
      !claims[next].hasRival
    {
      next += 1
      return true
    }
    return weigh(plugin, field, flag)
  }

  private mutating func weigh(_ plugin: Int, _ field: Field, _ flag: Bool?) -> Bool {
    let index = place(of: field, plugin, flag)
    claims[index].flag = flag
    next = index + 1
    guard claims[index].hasRival else { return true }
    return !claims.contains { other in
      guard other.field == field, other.plugin != plugin else { return false }
      if let flag { return !flag && other.flag == true }
      return other.plugin < plugin
    }
  }

  private mutating func place(of field: Field, _ plugin: Int, _ flag: Bool?) -> Int {
    if let index = claims.firstIndex(where: { $0.plugin == plugin && $0.field == field }) { return index }
    var hasRival = false
    for index in claims.indices where claims[index].field == field {
      claims[index].hasRival = true
      hasRival = true
    }
    claims.append(Claim(field: field, plugin: plugin, flag: flag, hasRival: hasRival))
    return claims.count - 1
  }
}
