// Streaming and its silences: when a sensor is called stale, when its link is rebuilt, when a plugin's own deadline has come.

import EventLoop
import Linux
import SensorKit
import Sensors
import Wire

extension SensorSession {
  func beginStreaming() {
    connectDeadline?.cancel()
    retryAt = nil
    lastHeard = environment.loop.now
    // Before its first advert with values it may have been taken for one that has a link: that is tried no more.
    if state == .searching {
      retryDeadline?.cancel()
      wasHeardEarly = false
      leaveQueue()
    }
    enter(by: state == .searching ? .broadcast : .subscribed)
    hasNews = true
    if let link { isBonded = link.isBonded }
    watchForSilence()
  }

  func heardValue() {
    lastHeard = environment.loop.now
    guard state == .stale else { return }
    enter(by: .value)
    // While it was stale the deadline was that of the link, or none where the sensor may sleep.
    watchForSilence()
  }

  /// One deadline at a time, set again only when it passes: a packet costs no timer.
  private func watchForSilence() {
    let silence = host?.silence
    guard let limit = state == .stale ? silence?.reconnectAfter : silence?.staleAfter ?? silence?.reconnectAfter else {
      silenceDeadline?.cancel()
      return
    }
    if let silenceDeadline {
      silenceDeadline.set(to: lastHeard + limit)
    } else {
      silenceDeadline = environment.loop.schedule(at: lastHeard + limit) { [weak self] in self?.judgeSilence() }
    }
  }

  private func judgeSilence() {
    guard let host, state == .streaming || state == .stale else { return }
    let silence = host.silence
    let quiet = environment.loop.now - lastHeard
    if let limit = silence.reconnectAfter, quiet >= limit {
      return fail(LinkFailure(.silent, "connected, but nothing heard for \(limit)"))
    }
    if let limit = silence.staleAfter, quiet >= limit, state == .streaming {
      enter(by: .silence)
      // One that may fall silent, as a wheel that stands, has missed nothing.
      if silence.reconnectAfter == nil { record.endPace() }
      demandFirstValue()
    }
    watchForSilence()
  }

  /// BlueZ can believe that it has subscribed where the sensor has not heard of it.
  private func demandFirstValue() {
    guard !hasSpoken, let link else { return }
    hasSpoken = true
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
