// What plugins asked for on a link, done one at a time and in order: some sensors lose a request that comes before the answer
// to the last. What captures want to read waits until nothing else does, and is dropped with the last capture that wanted it.
//
// Always so: nothing waits twice that need be done only once, and what waits has a bound.

import SensorKit

protocol ActionQueueOwner: AnyObject {
  func actions(_ queue: ActionQueue, read value: Span<UInt8>, from endpoint: Endpoint)
  func actions(_ queue: ActionQueue, wrote value: [UInt8], to endpoint: Endpoint)
  /// All that belongs to a command has been done, or one thing has not.
  func actions(_ queue: ActionQueue, endedCommandWith failure: LinkFailure?)
  /// Something failed without which the sensor is of no use.
  func actions(_ queue: ActionQueue, failed failure: LinkFailure)
  /// All that the sensor is of no use without has been done; said once.
  func requiredActionsAreDone(_ queue: ActionQueue)
  /// Nothing is left to do for now.
  func actionsAreDone(_ queue: ActionQueue)
}

final class ActionQueue {
  private let link: any Link
  private let offered: Set<Endpoint>
  private let infos: [SensorInfo]
  private weak var owner: (any ActionQueueOwner)?
  private var waiting = Waiting()
  /// Of captures, by the order in which they were asked for; each characteristic once.
  private var captureReads: [CaptureRead] = []
  /// Of what is being read at this moment.
  private var readUnderWay: Endpoint?
  private(set) var isActing = false
  private var isReady = false

  /// More waits only where a sensor answers nothing, or makes its plugin ask without end: what a plugin adds then is dropped.
  static let capacity = 128

  private struct Item {
    let verb: Batch.Action.Verb
    let endpoint: Endpoint
    let value: [UInt8]
    var isRequired = false
    var isOfCommand = false

    /// Done once, it is done for whoever else waits for it. A write may be meant to be done twice.
    func covers(_ other: Item) -> Bool {
      (verb == .read || verb == .subscribe) && verb == other.verb && endpoint == other.endpoint
        && isRequired == other.isRequired && isOfCommand == other.isOfCommand
    }
  }

  private struct CaptureRead {
    let endpoint: Endpoint
    var captures: [ObjectIdentifier]
  }

  /// First in, first out, without moving what is behind the first.
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

  /// Adds the batch's actions. Those for characteristics that the sensor lacks are left out, unless it is of no use without.
  func add(_ batch: borrowing Batch, forCommand isOfCommand: Bool = false) {
    for action in batch.actions {
      let endpoint = Endpoint(service: action.service, characteristic: action.characteristic)
      let isRequired = action.verb == .subscribe && infos.contains { $0.requires(endpoint) }
      guard isRequired || offered.contains(endpoint) else { continue }
      let value = Array(batch.value(of: action))
      let item = Item(
        verb: action.verb, endpoint: endpoint, value: value, isRequired: isRequired, isOfCommand: isOfCommand)
      // A plugin has few required subscriptions and a command few steps: these always have room.
      guard isRequired || isOfCommand || waiting.count < Self.capacity else { continue }
      guard !waiting.all.contains(where: { $0.covers(item) }) else { continue }
      // What it reads, captures get too.
      if item.verb == .read { captureReads.removeAll { $0.endpoint == endpoint } }
      waiting.append(item)
    }
    if !isActing { next() }
  }

  /// Reads them once for all captures that wait for them.
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

  /// The capture ended: what nobody else waits for is not read.
  func endReads(for capture: AnyObject) {
    let id = ObjectIdentifier(capture)
    for index in captureReads.indices { captureReads[index].captures.removeAll { $0 == id } }
    captureReads.removeAll { $0.captures.isEmpty }
  }

  /// How much waits, captures' reads included.
  var count: Int { waiting.count + captureReads.count }

  /// Whether the sensor has all that the batch's actions are for.
  func canDoAll(of batch: borrowing Batch) -> Bool {
    batch.actions.allSatisfy {
      offered.contains(Endpoint(service: $0.service, characteristic: $0.characteristic))
    }
  }

  /// What the sensor is of no use without.
  var requiredSubscriptions: [Endpoint] {
    infos.flatMap(\.characteristics).filter { $0.isRequired && $0.isSubscribed }
      .map { Endpoint(service: $0.service, characteristic: $0.characteristic) }
      .filter { offered.contains($0) }
  }

  private func sayWhenReady() {
    guard !isReady, !waiting.all.contains(where: \.isRequired) else { return }
    isReady = true
    owner?.requiredActionsAreDone(self)
  }

  /// Answers that are still to come go nowhere.
  func discard() {
    owner = nil
    waiting = Waiting()
    captureReads = []
  }

  private func next() {
    sayWhenReady()
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
    }
  }

  private func nextItem() -> Item? {
    if !waiting.isEmpty { return waiting.removeFirst() }
    // Required subscriptions are done by now, and captures are few: there is one read for each characteristic.
    guard !captureReads.isEmpty else { return nil }
    return Item(verb: .read, endpoint: captureReads.removeFirst().endpoint, value: [])
  }

  private func finishRead(_ item: Item, _ result: Result<[UInt8], LinkFailure>) {
    readUnderWay = nil
    if case .success(let value) = result { owner?.actions(self, read: value.span, from: item.endpoint) }
    finish(item, result.map { _ in })
  }

  /// What is not required may fail: a sensor without a battery level is a sensor.
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
