// Watched descriptors: an event never reaches the watch of a closed number that was reused.

import EventLoop
import Glibc
import Linux
import Testing
import Time

struct WatchTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop(.virtual(VirtualTime()))
  }

  private func turn() throws {
    _ = try loop.run(until: loop.now + .nanoseconds(1)) { false }
  }

  /// Both are ready in one iteration. The first one served gives the other's number to a new
  /// descriptor.
  @Test("an event for a descriptor replaced in the same iteration is dropped")
  func eventForDescriptorReplaced() throws {
    let victims = [Victim(try PacketPair()), Victim(try PacketPair())]
    let newcomer = Victim(try PacketPair())
    var served: [String] = []
    for (index, victim) in victims.enumerated() {
      victim.watch = try loop.watch(victim.near, for: .readable) { [loop] _ in
        served.append("old")
        victim.drain()
        let other = victims[1 - index]
        other.replaceNear(with: newcomer)
        other.watch = try? loop.watch(other.near, for: .readable) { _ in
          served.append("new")
          other.drain()
        }
      }
      victim.poke()
    }
    try turn()
    #expect(served == ["old"])
    newcomer.poke()
    try turn()
    #expect(served == ["old", "new"])
    for victim in victims { victim.close() }
    #expect(loop.watchCount == 0)
  }

  @Test("a cancelled watch is never called again")
  func cancelledWatchNeverCalledAgain() throws {
    let victim = Victim(try PacketPair())
    var count = 0
    victim.watch = try loop.watch(victim.near, for: .readable) { _ in
      count += 1
      victim.watch?.cancel()
    }
    victim.poke()
    try turn()
    try turn()
    #expect(count == 1)
    victim.close()
  }

  @Test("hang-up is reported without being asked for")
  func hangupReportedWithoutBeingAsked() throws {
    let victim = Victim(try PacketPair())
    var seen: [Interest] = []
    victim.watch = try loop.watch(victim.near, for: []) { ready in
      seen.append(ready)
      victim.watch?.cancel()
    }
    victim.closeFar()
    try turn()
    #expect(seen == [.hangUp])
    victim.close()
  }

  @Test("the interest of a watch can change")
  func interestCanChange() throws {
    let victim = Victim(try PacketPair())
    var seen: [Interest] = []
    let watch = try loop.watch(victim.near, for: .readable) { ready in
      seen.append(ready)
      victim.watch?.cancel()
    }
    victim.watch = watch
    try turn()
    #expect(seen.isEmpty)
    try watch.change(to: .writable)
    try turn()
    #expect(seen == [.writable])
    victim.close()
  }
}

/// A pair of sockets whose ends can be closed one by one.
private final class Victim {
  let near: Int32
  let far: Int32
  var watch: Watch?
  private var isNearOpen = true
  private var isFarOpen = true

  init(_ pair: consuming PacketPair?) {
    guard let pair else { preconditionFailure("no descriptors left") }
    var far: Int32 = -1
    let kept = pair.keepNear { far = (try? $0.duplicate())?.release() ?? -1 }
    near = kept.release()
    self.far = far
  }

  deinit {
    close()
  }

  func poke() {
    _ = try? writeDescriptor(far, [1].span)
  }

  /// In one call, because another test's thread could take the number between close and open.
  func replaceNear(with other: Victim, sourceLocation: SourceLocation = #_sourceLocation) {
    watch?.cancel()
    #expect(dup2(other.near, near) == near, sourceLocation: sourceLocation)
  }

  func drain() {
    var buffer = [UInt8](repeating: 0, count: 8)
    _ = try? readDescriptor(near, into: &buffer)
  }

  func close() {
    watch?.cancel()
    watch = nil
    if isNearOpen { _ = FileDescriptor(owning: near) }
    isNearOpen = false
    closeFar()
  }

  func closeFar() {
    if isFarOpen { _ = FileDescriptor(owning: far) }
    isFarOpen = false
  }
}
