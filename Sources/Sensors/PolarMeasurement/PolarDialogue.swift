// The sequence of requests to a Polar strap. For each of its streams it requests the settings and
// then starts it, one request at a time. After a time-out the next step begins.

import SensorKit

struct PolarDialogue {
  private static let timeout = Duration.seconds(10)

  private struct Step {
    let request: PolarAnswer.Request
    let stream: PolarStream
  }

  /// The request that waits for its response, and until when.
  private var current: Step?
  private(set) var deadline: MonotonicTime?
  /// Streams that are still to be started.
  private var isWaiting = InlineArray<3, Bool>(repeating: false)
  private var isRunning = InlineArray<3, Bool>(repeating: false)
  private(set) var accelerationFactor = 1.0

  var isIdle: Bool { current == nil }
  var isStreaming: Bool {
    isRunning[Int(PolarStream.ecg.rawValue)] || isRunning[Int(PolarStream.acceleration.rawValue)]
  }

  /// Call when the strap has listed its features.
  mutating func begin(with features: PolarFeatures, at time: MonotonicTime, into batch: inout Batch) {
    isWaiting[Int(PolarStream.ecg.rawValue)] = features.has(.ecg)
    isWaiting[Int(PolarStream.acceleration.rawValue)] = features.has(.acceleration)
    if isIdle { next(at: time, into: &batch) }
  }

  mutating func start(_ stream: PolarStream, at time: MonotonicTime, into batch: inout Batch) {
    isWaiting[Int(stream.rawValue)] = false
    ask(Step(request: .settings, stream: stream), at: time, into: &batch)
  }

  mutating func stop(_ stream: PolarStream, at time: MonotonicTime, into batch: inout Batch) {
    ask(Step(request: .stop, stream: stream), at: time, into: &batch)
  }

  mutating func handle(_ answer: PolarAnswer, at time: MonotonicTime, into batch: inout Batch) {
    note(answer)
    guard let current, answer.request == current.request, answer.stream == current.stream else { return }
    if current.request == .settings, answer.isSuccess {
      ask(Step(request: .start, stream: current.stream), with: answer.chosen, at: time, into: &batch)
    } else {
      next(at: time, into: &batch)
    }
  }

  /// The request could not be sent.
  mutating func commandFailed() {
    current = nil
    deadline = nil
  }

  mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    guard let deadline, deadline <= time else { return }
    next(at: time, into: &batch)
  }

  private mutating func note(_ answer: PolarAnswer) {
    guard let stream = answer.stream else { return }
    if answer.isRunning { isRunning[Int(stream.rawValue)] = true }
    if answer.request == .stop, answer.isSuccess { isRunning[Int(stream.rawValue)] = false }
    if answer.request == .start, answer.isSuccess, stream == .acceleration { accelerationFactor = answer.factor }
  }

  private mutating func next(at time: MonotonicTime, into batch: inout Batch) {
    current = nil
    deadline = nil
    for index in isWaiting.indices where isWaiting[index] {
      guard let stream = PolarStream(rawValue: UInt8(index)) else { continue }
      return start(stream, at: time, into: &batch)
    }
  }

  private mutating func ask(
    _ step: Step, with settings: PolarSettings = PolarSettings(), at time: MonotonicTime, into batch: inout Batch
  ) {
    var request = InlineArray<14, UInt8>(repeating: 0)
    request[0] = step.request.rawValue
    request[1] = step.stream.rawValue
    var length = 2
    settings.append(to: &request, &length)
    batch.write(
      request.span.extracting(0..<length), to: PolarMeasurementPlugin.service, PolarMeasurementPlugin.control)
    current = step
    deadline = time + Self.timeout
  }
}
