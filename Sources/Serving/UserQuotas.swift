// The quotas of all users, by their numbers.

package import Time

package struct UserQuotas {
  private var quotas: [UInt32: UserQuota] = [:]

  package init() {}

  var count: Int { quotas.count }

  /// A quota outlives the last client until it is full again, so that reconnecting does not reset
  /// it.
  package mutating func quota(of user: UInt32, at now: MonotonicTime) -> UserQuota {
    if let known = quotas[user] { return known }
    quotas = quotas.filter { $0.value.clients > 0 || !$0.value.isWhole(at: now) }
    let quota = UserQuota(at: now)
    quotas[user] = quota
    return quota
  }
}
