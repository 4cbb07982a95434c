// Detects silence: when a sensor becomes stale, when its link is rebuilt, and when a plugin's
// deadline has passed.

import EventLoop
import Linux
import Radio
import SensorKit
import Time
import Wire

extension SensorSession {
  /// All required subscriptions are done. The sensor streams from the first value of its own kinds.
  func awaitFirstValue() {
    connectDeadline?.cancel()
    retryAt = nil
    (lastReceived, subscribedAt) = (environment.loop.now, environment.loop.now)
    isSubscribed = true
    hasNews = true
    if let link { isBonded = link.isBonded }
    transition(on: .subscribed)
    watchForSilence()
  }

  /// Starts streaming if the batch has a value. The sensor must have sent something itself and
  /// recently. Values that were read, or that a plugin derived from silence, do not count.
  func streamIfValued() {
    guard hasSpoken, isSubscribed || isBroadcaster else { return }
    if let limit = host?.silence.staleAfter, environment.loop.now - lastReceived >= limit { return }
    for index in batch.entryIndices {
      guard case .sample(let kind) = batch.entry(index).kind, !batch.entry(index).isHidden, isOwn(kind) else {
        continue
      }
      return beginStreaming()
    }
  }

  private func beginStreaming() {
    switch state {
    case .searching:
      // Before its first advert with values, it may have been treated as a sensor to connect to.
      // That connect is dropped.
      connectDeadline?.cancel()
      retryDeadline?.cancel()
      retryAt = nil
      advertisedEarly = false
      leaveQueue()
      transition(on: .broadcast)
    case .connecting, .stale: transition(on: .value)
    case .streaming, .disabled, .error: return
    }
    // Until now the deadline was for the first value or the link; there was none if the sensor may
    // sleep.
    watchForSilence()
    guard !early.isEmpty else { return }
    environment.loop.schedule(after: .zero) { [weak self] in self?.publishEarly() }
  }

  /// There is one deadline, and it is set again only after it has passed, so packets set no timers.
  private func watchForSilence() {
    guard let end = endOfSilence else {
      silenceDeadline?.cancel()
      return
    }
    if let silenceDeadline {
      silenceDeadline.set(to: end)
    } else {
      silenceDeadline = environment.loop.schedule(at: end) { [weak self] in self?.judgeSilence() }
    }
  }

  /// A sensor that may sleep has no deadline. Any packet sets it again, even one without a value.
  func watchLink() {
    if silenceDeadline?.isPending != true { watchForSilence() }
  }

  /// When the sensor becomes stale, or if it is stale, when its link is rebuilt. Before the first
  /// value, packets without a value do not count, so that the sensor does not stay `connecting` for
  /// ever.
  private var endOfSilence: MonotonicTime? {
    guard let silence = host?.silence else { return nil }
    let untilStale = silence.staleAfter ?? silence.reconnectAfter
    return switch state {
    case .stale: silence.reconnectAfter.map { lastReceived + silences.limit($0) }
    case .connecting: untilStale.map { subscribedAt + $0 }
    default: untilStale.map { lastReceived + $0 }
    }
  }

  private func judgeSilence() {
    guard let host, state == .streaming || state == .stale || isSubscribed else { return }
    endSilencesIfStreamed()
    let silence = host.silence
    let now = environment.loop.now
    if let limit = silence.reconnectAfter.map({ silences.limit($0) }), now - lastReceived >= limit {
      fail(LinkFailure(.silent, "connected, but no value for \(limit)"))
      return silences.reconnected()
    }
    if state != .stale, let end = endOfSilence, now >= end {
      transition(on: .silence)
      // A sensor that may fall silent, like a wheel that stands, has not missed anything.
      if silence.reconnectAfter == nil { record.endPace() }
      demandFirstValue()
    }
    watchForSilence()
  }

  /// Values that arrived on this link for a while reset the back-off, even for a later silence on
  /// the same link.
  func endSilencesIfStreamed() {
    guard hasValue, let first = host?.silence.reconnectAfter else { return }
    silences.streamed(for: lastReceived - firstValueAt, first)
  }

  /// BlueZ can believe that it has subscribed although the sensor has not received it.
  private func demandFirstValue() {
    guard !hasSpoken, !wasDemanded, let link else { return }
    wasDemanded = true
    for endpoint in actions?.requiredSubscriptions ?? [] {
      link.resubscribe(endpoint) { [weak self, weak link] result in
        guard let self, let link, link === self.link, case .failure(let failure) = result else { return }
        fail(failure)
      }
    }
  }

  func scheduleTick() {
    guard let next = host?.deadline else { return }
    guard let tickDeadline else {
      tickDeadline = environment.loop.schedule(at: next) { [weak self] in self?.tick() }
      return
    }
    if !tickDeadline.isPending || tickDeadline.time != next { tickDeadline.set(to: next) }
  }

  private func tick() {
    let time = environment.loop.now
    batch.removeAll()
    host?.tick(at: time, into: &batch)
    publish(at: time)
    actions?.add(batch)
    scheduleTick()
  }
}
