// Links that the daemon ends after last writes to the device, for example one that switches it off.
// They get a second. A new link to the device ends the old one at once.

import EventLoop
import Radio
import Time

package final class ClosingLinks {
  private let loop: EventLoop
  private var current: [ClosingLink] = []

  package static let timeLimit = Duration.seconds(1)

  init(loop: EventLoop) { self.loop = loop }

  package var isEmpty: Bool { current.isEmpty }

  func close(_ link: any Link, to address: DeviceAddress, after writes: [LinkWrite]) {
    guard !writes.isEmpty else { return link.close() }
    let closing = ClosingLink(link, address, writes)
    current.append(closing)
    closing.deadline = loop.schedule(after: Self.timeLimit) { [weak self, weak closing] in
      if let closing { self?.end(closing) }
    }
    next(closing)
  }

  /// Ends the link to the device, if there is one.
  func finish(_ address: DeviceAddress) {
    for closing in current where closing.address == address { end(closing) }
  }

  /// One write at a time, because some sensors lose a request that arrives before the last answer.
  private func next(_ closing: ClosingLink) {
    guard let write = closing.takeWrite() else { return end(closing) }
    closing.link.write(write.value, to: write.endpoint, withResponse: write.withResponse) {
      [weak self, weak closing] _ in
      guard let self, let closing, current.contains(where: { $0 === closing }) else { return }
      next(closing)
    }
  }

  private func end(_ closing: ClosingLink) {
    guard current.contains(where: { $0 === closing }) else { return }
    current.removeAll { $0 === closing }
    closing.deadline?.cancel()
    closing.link.close()
  }
}

private final class ClosingLink {
  let link: any Link
  let address: DeviceAddress
  private var writes: ArraySlice<LinkWrite>
  var deadline: Deadline?

  init(_ link: any Link, _ address: DeviceAddress, _ writes: [LinkWrite]) {
    self.link = link
    self.address = address
    self.writes = writes[...]
  }

  func takeWrite() -> LinkWrite? { writes.popFirst() }
}
