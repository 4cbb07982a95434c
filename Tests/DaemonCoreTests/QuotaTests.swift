// A user's quota: requests per second and queued bytes.

import EventLoop
import JSON
import Linux
import TestSupport
import Testing
import Time

@testable import DaemonCore
@testable import Serving

@Suite struct QuotaTests {
  @Test("a burst is answered at once, and further requests later and in order")
  func burst() throws {
    let test = try TestDaemon()
    let (first, second) = (try test.connect(), try test.connect("metrics.sock"))
    let burst = Int(UserQuota.burst)
    for id in 1...burst + 200 {
      first.send(#"{"id":\#(id),"method":"ping"}"#)
      // A socket buffer holds only a few hundred lines.
      if id % 100 == 0 { try test.run(for: .milliseconds(1)) }
      try first.receive()
    }
    second.send(#"{"id":1,"method":"ping"}"#)
    try test.run(for: .milliseconds(1))
    let answered = try first.all("reply").count + second.all("reply").count
    // Each millisecond that passed admits one more request.
    #expect(burst...burst + 30 ~= answered, "no more than the user has")
    try test.run(for: .seconds(2))
    let ids = try first.all("reply").compactMap { $0["id"]?.integer }
    let isComplete = ids == Array(1...burst + 200)
    #expect(isComplete, "in order, and none is lost")
    #expect(try second.all("reply").count == 1)
  }

  @Test("the quota of a quiet user refills, up to one burst")
  func refills() {
    let start = MonotonicTime(nanoseconds: 0)
    let quota = UserQuota(at: start)
    for _ in 1...Int(UserQuota.burst) { #expect(quota.admitRequest(at: start)) }
    #expect(!quota.admitRequest(at: start))
    let later = start + .seconds(3600)
    for _ in 1...Int(UserQuota.burst) { #expect(quota.admitRequest(at: later)) }
    #expect(!quota.admitRequest(at: later), "and no more than a burst")
  }

  @Test("the queued bytes of all clients of a user are added up")
  func sharedBytes() {
    let quota = UserQuota(at: MonotonicTime(nanoseconds: 0))
    for _ in 1...100 { quota.join() }
    quota.changeQueue(by: UserQuota.queueLimit - 1)
    #expect(!quota.isExhausted(for: 60_000))
    quota.changeQueue(by: 1)
    #expect(quota.isExhausted(for: 60_000) && !quota.isExhausted(for: 1000), "who has little waiting is served on")
    quota.leave(withQueued: 60_000)
    #expect(!quota.isExhausted(for: 60_000))
  }
}
