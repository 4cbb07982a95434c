// What subscribers get in an iteration of the loop.

import EventLoop
import Linux
import TestSupport
import Testing
import Wire

@testable import Serving

@Suite struct PublisherTests {
  private final class Reader: Subscriber {
    var lines: [String] = []
    var onDelivery: () -> Void = {}

    func deliver(_ output: OutputBatch) {
      for entry in output.entries { lines.append(String(decoding: output.bytes[entry.line].dropLast(), as: UTF8.self)) }
      onDelivery()
    }
  }

  private let loop: EventLoop
  private let publisher: Publisher
  private let first = Reader(), second = Reader()

  init() throws {
    loop = try EventLoop()
    publisher = Publisher(loop: loop)
    publisher.add(first)
    publisher.add(second)
  }

  private func publish(_ dropped: Int) { publisher.publish(LagRecord(dropped: dropped)) }

  private func run() throws {
    loop.schedule(after: .milliseconds(1)) { [loop] in loop.stop() }
    try loop.run()
  }

  @Test("all lines of an iteration arrive together, in order, at every subscriber")
  func together() throws {
    publish(1)
    publish(2)
    #expect(first.lines.isEmpty)
    try run()
    #expect(first.lines.count == 2 && first.lines == second.lines)
  }

  @Test("what is published during a delivery reaches every subscriber")
  func duringDelivery() throws {
    second.onDelivery = { [self] in
      second.onDelivery = {}
      publish(2)
    }
    publish(1)
    try run()
    #expect(first.lines.count == 2)
    #expect(second.lines == first.lines)
    publish(3)
    try run()
    #expect(first.lines.count == 3 && second.lines == first.lines)
  }
}
