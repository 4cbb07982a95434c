// Which of a sensor's plugins is believed about a fact, where several tell it: a trainer has the features of its speed
// service and those of its power service, and both call one of them `wheel_revolution_data`. What one service can do, the
// sensor can; of other facts the first plugin in the order of the registry is believed. So the order of the reads, which
// changes from one connection to the next, changes nothing.

struct FactClaims {
  private struct Claim {
    let field: Field
    let plugin: Int
    /// What it said, where that is yes or no.
    var flag: Bool?
    /// Another plugin tells the fact too.
    var hasRival: Bool
  }

  private var claims: [Claim] = []

  /// Facts come in the order in which they came last time.
  private var next = 0

  /// Notes what a plugin told; false where another plugin's word stands against it. `flag` is the value of a fact that says
  /// yes or no.
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
