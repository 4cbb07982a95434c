// The actions that plugins requested on a link, done one at a time and in order: some sensors lose
// a request that arrives before the answer to the last one. Reads for captures wait until nothing
// else does, and are dropped with the last capture that wanted them.
//
// Invariant: actions that need to be done only once are queued only once, and the queue is bounded.

import Radio
import SensorKit

protocol ActionQueueOwner: AnyObject {
  func actions(_ queue: ActionQueue, read value: Span<UInt8>, from endpoint: Endpoint)
  func actions(_ queue: ActionQueue, wrote value: [UInt8], to endpoint: Endpoint)
  /// All actions of a command are done, or one has failed.
  func actions(_ queue: ActionQueue, endedCommandWith failure: LinkFailure?)
  /// A required action failed, so the sensor cannot be used.
  func actions(_ queue: ActionQueue, failed failure: LinkFailure)
  /// All required actions are done. Called once.
  func requiredActionsAreDone(_ queue: ActionQueue)
  /// The queue is empty.
  func actionsAreDone(_ queue: ActionQueue)
}

final class ActionQueue {
  private let link: any Link
  private let offered: Set<Endpoint>
  private var infos: [SensorInfo]
  private weak var owner: (any ActionQueueOwner)?
  private var waiting = Waiting()
  /// Reads for captures, in the order of the requests. Each characteristic is listed once.
  private var captureReads: [CaptureRead] = []
  /// The characteristic that is being read.
  private var readUnderWay: Endpoint?
  private(set) var isActing = false
  private var isReady = false

  /// Only a sensor that never answers, or a plugin that keeps asking, reaches this. Further
  /// optional actions are then dropped.
  static let capacity = 128

  private struct Item {
    let verb: Batch.Action.Verb
    let endpoint: Endpoint
    let value: [UInt8]
    var isRequired = false
    var isOfCommand = false

    /// Whether doing this action makes the other one unnecessary. Writes never do, because they can
    /// be meant twice.
    func covers(_ other: Item) -> Bool {
      (verb == .read || verb == .subscribe) && verb == other.verb && endpoint == other.endpoint
        && isRequired == other.isRequired && isOfCommand == other.isOfCommand
    }
  }

  private struct CaptureRead {
    let endpoint: Endpoint
    var captures: [ObjectIdentifier]
  }

  /// A FIFO that does not move its elements on every removal.
  private struct Waiting {
    private(set) var items: [Item] = []
    private var head = 0

    var count: Int { items.count - head }
    var isEmpty: Bool { count == 0 }
    var all: ArraySlice<Item> { items[head...] }

    mutating func append(_ item: Item) { items.append(item) }

    mutating func removeFirst() -> Item {
      let item = items[head]
      head += 1
      if head == items.count || head >= ActionQueue.capacity {
        items.removeFirst(head)
        head = 0
      }
      return item
    }

    mutating func removeCommand() {
      items = all.filter { !$0.isOfCommand }
      head = 0
    }
  }

  init(on link: any Link, offered: Set<Endpoint>, infos: [SensorInfo], owner: any ActionQueueOwner) {
    self.link = link
    self.offered = offered
    self.infos = infos
    self.owner = owner
  }

  /// The plugins of the sensor have changed.
  func follow(_ infos: [SensorInfo]) { self.infos = infos }

  /// Adds the batch's actions. Actions for characteristics that the sensor lacks are skipped,
  /// unless they are required.
  func add(_ batch: borrowing Batch, forCommand isOfCommand: Bool = false) {
    for action in batch.actions {
      if case .handOver = action.verb { continue }
      let endpoint = Endpoint(service: action.service, characteristic: action.characteristic)
      let isRequired = action.verb == .subscribe && infos.contains { $0.requires(endpoint) }
      guard isRequired || offered.contains(endpoint) else { continue }
      let value = Array(batch.value(of: action))
      let item = Item(
        verb: action.verb, endpoint: endpoint, value: value, isRequired: isRequired, isOfCommand: isOfCommand)
      // Required subscriptions and commands have few actions, so they are always accepted.
      guard isRequired || isOfCommand || waiting.count < Self.capacity else { continue }
      guard !waiting.all.contains(where: { $0.covers(item) }) else { continue }
      // Captures receive the result of this read too.
      if item.verb == .read { captureReads.removeAll { $0.endpoint == endpoint } }
      waiting.append(item)
    }
    if !isActing { next() }
  }

  /// Reads each endpoint once for all captures that wait for it.
  func read(_ endpoints: [Endpoint], for capture: AnyObject) {
    let id = ObjectIdentifier(capture)
    for endpoint in endpoints where offered.contains(endpoint) {
      let isComing = readUnderWay == endpoint || waiting.all.contains { $0.verb == .read && $0.endpoint == endpoint }
      guard !isComing else { continue }
      if let known = captureReads.firstIndex(where: { $0.endpoint == endpoint }) {
        if !captureReads[known].captures.contains(id) { captureReads[known].captures.append(id) }
      } else {
        captureReads.append(CaptureRead(endpoint: endpoint, captures: [id]))
      }
    }
    if !isActing { next() }
  }

  /// Drops the reads that only this capture waited for.
  func endReads(for capture: AnyObject) {
    let id = ObjectIdentifier(capture)
    for index in captureReads.indices { captureReads[index].captures.removeAll { $0 == id } }
    captureReads.removeAll { $0.captures.isEmpty }
  }

  /// The number of waiting actions, including reads for captures.
  var count: Int { waiting.count + captureReads.count }

  /// Whether the sensor has all the characteristics that the batch's actions use.
  func canDoAll(of batch: borrowing Batch) -> Bool {
    batch.actions.allSatisfy {
      if case .handOver = $0.verb { return true }
      return offered.contains(Endpoint(service: $0.service, characteristic: $0.characteristic))
    }
  }

  /// The subscriptions without which the sensor cannot be used.
  var requiredSubscriptions: [Endpoint] {
    infos.flatMap(\.characteristics).filter { $0.isRequired && $0.isSubscribed }
      .map { Endpoint(service: $0.service, characteristic: $0.characteristic) }
      .filter { offered.contains($0) }
  }

  private func reportWhenReady() {
    guard !isReady, !waiting.all.contains(where: \.isRequired) else { return }
    isReady = true
    owner?.requiredActionsAreDone(self)
  }

  /// Ignores answers that are still to come.
  func discard() {
    owner = nil
    waiting = Waiting()
    captureReads = []
  }

  private func next() {
    reportWhenReady()
    guard let owner, !isActing else { return }
    guard let item = nextItem() else { return owner.actionsAreDone(self) }
    isActing = true
    switch item.verb {
    case .subscribe: link.subscribe(item.endpoint) { [weak self] in self?.finish(item, $0) }
    case .read:
      readUnderWay = item.endpoint
      link.read(item.endpoint) { [weak self] in self?.finishRead(item, $0) }
    case .write, .writeWithoutResponse:
      owner.actions(self, wrote: item.value, to: item.endpoint)
      link.write(item.value, to: item.endpoint, withResponse: item.verb == .write) { [weak self] in
        self?.finish(item, $0)
      }
    // `add` leaves these out.
    case .handOver: isActing = false
    }
  }

  private func nextItem() -> Item? {
    if !waiting.isEmpty { return waiting.removeFirst() }
    // Required subscriptions are done by now. Each characteristic is read at most once for
    // captures.
    guard !captureReads.isEmpty else { return nil }
    return Item(verb: .read, endpoint: captureReads.removeFirst().endpoint, value: [])
  }

  private func finishRead(_ item: Item, _ result: Result<[UInt8], LinkFailure>) {
    readUnderWay = nil
    if case .success(let value) = result { owner?.actions(self, read: value.span, from: item.endpoint) }
    finish(item, result.map { _ in })
  }

  /// Optional actions may fail: a sensor without a battery level is still useful.
  private func finish(_ item: Item, _ result: Result<Void, LinkFailure>) {
    isActing = false
    switch result {
    case .failure(let failure) where item.isRequired: return owner?.actions(self, failed: failure) ?? ()
    case .failure(let failure) where item.isOfCommand:
      waiting.removeCommand()
      owner?.actions(self, endedCommandWith: failure)
    case .success where item.isOfCommand && !waiting.all.contains(where: \.isOfCommand):
      owner?.actions(self, endedCommandWith: nil)
    default: break
    }
    next()
  }
}

extension SensorInfo {
  fileprivate func requires(_ endpoint: Endpoint) -> Bool {
    characteristics.contains {
      $0.isRequired && $0.service == endpoint.service && $0.characteristic == endpoint.characteristic
    }
  }
}

extension Batch {
  /// Its actions that write.
  var writes: [LinkWrite] {
    actions.compactMap { action in
      guard action.verb == .write || action.verb == .writeWithoutResponse else { return nil }
      return LinkWrite(
        Array(value(of: action)), to: Endpoint(service: action.service, characteristic: action.characteristic),
        withResponse: action.verb == .write)
    }
  }
}
