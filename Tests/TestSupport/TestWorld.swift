// A loop on virtual time with a real bus. Hours pass in milliseconds, and no reply is missed.

public import DBus
public import EventLoop
internal import Linux
import Time

public final class TestWorld {
  public let loop: EventLoop
  public let time: VirtualTime
  public let privateBus: PrivateBus
  private let fence = BusFence()

  public init() throws {
    let time = VirtualTime()
    self.time = time
    let fence = fence
    time.quiescence = { fence.quiescence() }
    loop = try EventLoop(.virtual(time))
    privateBus = try PrivateBus()
  }

  /// A started connection to the private bus. All buses of a test come from here or are `include`d.
  public func makeBus() -> Bus {
    let bus = Bus(loop: loop, address: privateBus.address)
    include(bus)
    bus.start()
    return bus
  }

  public func include(_ bus: Bus) {
    fence.include(bus)
  }

  /// Whether the condition became true within that much virtual time.
  public func run(within span: Duration = .seconds(60), until condition: () -> Bool) throws -> Bool {
    try loop.run(until: loop.now + span, condition)
  }

  /// Lets that much virtual time pass.
  public func run(for span: Duration) throws {
    _ = try loop.run(until: loop.now + span) { false }
    try settle()
  }

  /// Runs until nothing is in progress. Time only advances by a nanosecond.
  public func settle() throws {
    _ = try loop.run(until: loop.now + .nanoseconds(1)) { false }
  }
}
