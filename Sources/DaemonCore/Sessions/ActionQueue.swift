// What plugins asked for on a link, done one at a time and in order: some sensors lose a request that comes before the answer
// to the last.

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
  private var waiting: [Item] = []
  private(set) var isActing = false
  private var isReady = false

  private struct Item {
    let verb: Batch.Action.Verb
    let endpoint: Endpoint
    let value: [UInt8]
    let isRequired: Bool
    let isOfCommand: Bool
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
      waiting.append(
        Item(
          verb: action.verb, endpoint: endpoint, value: value, isRequired: isRequired, isOfCommand: isOfCommand))
    }
    if !isActing { next() }
  }

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
    guard !isReady, !waiting.contains(where: \.isRequired) else { return }
    isReady = true
    owner?.requiredActionsAreDone(self)
  }

  /// Answers that are still to come go nowhere.
  func discard() {
    owner = nil
    waiting = []
  }

  private func next() {
    sayWhenReady()
    guard let owner, !isActing else { return }
    guard !waiting.isEmpty else { return owner.actionsAreDone(self) }
    let item = waiting.removeFirst()
    isActing = true
    switch item.verb {
    case .subscribe: link.subscribe(item.endpoint) { [weak self] in self?.finish(item, $0) }
    case .read: link.read(item.endpoint) { [weak self] in self?.finishRead(item, $0) }
    case .write, .writeWithoutResponse:
      owner.actions(self, wrote: item.value, to: item.endpoint)
      link.write(item.value, to: item.endpoint, withResponse: item.verb == .write) { [weak self] in
        self?.finish(item, $0)
      }
    }
  }

  private func finishRead(_ item: Item, _ result: Result<[UInt8], LinkFailure>) {
    if case .success(let value) = result { owner?.actions(self, read: value.span, from: item.endpoint) }
    finish(item, result.map { _ in })
  }

  /// What is not required may fail: a sensor without a battery level is a sensor.
  private func finish(_ item: Item, _ result: Result<Void, LinkFailure>) {
    isActing = false
    switch result {
    case .failure(let failure) where item.isRequired: return owner?.actions(self, failed: failure) ?? ()
    case .failure(let failure) where item.isOfCommand:
      waiting.removeAll(where: \.isOfCommand)
      owner?.actions(self, endedCommandWith: failure)
    case .success where item.isOfCommand && !waiting.contains(where: \.isOfCommand):
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
