// Streaming and its silences: when a sensor is called stale, when its link is rebuilt, when a plugin's own deadline has come.

import EventLoop
import Linux
import SensorKit
import Sensors
import Wire

extension SensorSession {
  /// Its link is what it has to be. It streams with the first value of what it is for.
  func awaitFirstValue() {
    connectDeadline?.cancel()
    retryAt = nil
    (lastHeard, subscribedAt) = (environment.loop.now, environment.loop.now)
    isSubscribed = true
    hasNews = true
    if let link { isBonded = link.isBonded }
    enter(by: .subscribed)
    watchForSilence()
  }

  /// Looks for a value in the batch while the sensor does not stream. What was read, or a plugin concludes from silence,
  /// proves nothing: the sensor has to have sent something itself, and not long ago.
  func streamIfValued() {
    guard hasSpoken, isSubscribed || isBroadcaster else { return }
    if let limit = host?.silence.staleAfter, environment.loop.now - lastHeard >= limit { return }
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
      // Before its first advert with values it may have been taken for one that has a link: that is tried no more.
      connectDeadline?.cancel()
      retryDeadline?.cancel()
      retryAt = nil
      wasHeardEarly = false
      leaveQueue()
      enter(by: .broadcast)
    case .connecting, .stale: enter(by: .value)
    case .streaming, .disabled, .error: return
    }
    // Until now the deadline was that of the first value or of the link, or none where the sensor may sleep.
    watchForSilence()
    guard !early.isEmpty else { return }
    environment.loop.schedule(after: .zero) { [weak self] in self?.publishEarly() }
  }

  /// One deadline at a time, set again only when it passes: a packet costs no timer.
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

  /// Where the sensor may sleep nothing watches its link. That ends with a packet, even if it has no value.
  func watchLink() {
    if silenceDeadline?.isPending != true { watchForSilence() }
  }

  /// When the sensor becomes stale, or where it is, when its link is rebuilt. Before the first value only a value counts, for
  /// the sensor is not to be called `connecting` for ever.
  private var endOfSilence: BootTime? {
    guard let silence = host?.silence else { return nil }
    let untilStale = silence.staleAfter ?? silence.reconnectAfter
    return switch state {
    case .stale: silence.reconnectAfter.map { lastHeard + silences.limit($0) }
    case .connecting: untilStale.map { subscribedAt + $0 }
    default: untilStale.map { lastHeard + $0 }
    }
  }

  private func judgeSilence() {
    guard let host, state == .streaming || state == .stale || isSubscribed else { return }
    endSilencesIfStreamed()
    let silence = host.silence
    let now = environment.loop.now
    if let limit = silence.reconnectAfter.map({ silences.limit($0) }), now - lastHeard >= limit {
      fail(LinkFailure(.silent, "connected, but nothing heard for \(limit)"))
      return silences.reconnected()
    }
    if state != .stale, let end = endOfSilence, now >= end {
      enter(by: .silence)
      // One that may fall silent, as a wheel that stands, has missed nothing.
      if silence.reconnectAfter == nil { record.endPace() }
      demandFirstValue()
    }
    watchForSilence()
  }

  /// Values that arrived on this link for a while end the back-off, also for a silence later on the same link.
  func endSilencesIfStreamed() {
    guard hasValue, let first = host?.silence.reconnectAfter else { return }
    silences.streamed(for: lastHeard - firstValueAt, first)
  }

  /// BlueZ can believe that it has subscribed where the sensor has not heard of it.
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
    guard let next = host?.deadline.map({ BootTime(nanoseconds: $0.nanoseconds) }) else { return }
    guard let tickDeadline else {
      tickDeadline = environment.loop.schedule(at: next) { [weak self] in self?.tick() }
      return
    }
    if !tickDeadline.isPending || tickDeadline.time != next { tickDeadline.set(to: next) }
  }

  private func tick() {
    let time = Clock.monotonic(environment.loop.now)
    batch.removeAll()
    host?.tick(at: time, into: &batch)
    publish(at: time)
    actions?.add(batch)
    scheduleTick()
  }
}
