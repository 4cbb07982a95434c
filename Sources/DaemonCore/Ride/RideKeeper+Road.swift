// GPS fixes for the ride, and wheel sizes measured from them.

import EventLoop
import Linux
import Metrics
import SensorKit
import Time

extension RideKeeper {
  /// A fix as the receiver reported it.
  func handle(_ fix: Fix) {
    out.removeAll()
    updateResumeTime()
    metrics.take(fix, into: &out)
    publish(at: fix.time)
    // A fix without a position does not start the ticks.
    if fix.mode > .none { startTicks(at: fix.time) }
    for place in sources.indices {
      let size = metrics.circumferenceM(of: sources[place].source)
      guard size != sources[place].circumferenceM else { continue }
      sources[place].circumferenceM = size
      wheelChanged(sources[place].id)
    }
  }

  var wantsManyFixes: Bool { metrics.wantsManyFixes(at: loop.now) }

  /// The user's settings, with the measured circumference if the sensor uses it.
  func settings(of sensor: PairedSensor) -> SensorSettings {
    var settings = sensor.settings
    if sensor.usesMeasuredSize, let size = registered(sensor.id)?.circumferenceM {
      settings.circumferenceMM = size * 1000
    }
    return settings
  }

  /// The measured circumference of the sensor's wheel; nil if it was not measured.
  func measuredMM(of id: String) -> Double? {
    registered(id).flatMap { metrics.measuredWheel(of: $0.source) }.map { $0.circumferenceM * 1000 }
  }

  /// Wheel sizes change slowly, so a power cut loses at most this much of the measuring.
  private static let wheelPause = Duration.seconds(300)

  func saveWheels(atOnce: Bool = false) {
    guard atOnce || loop.now - wheelsSaved >= Self.wheelPause else { return }
    wheelsSaved = loop.now
    wheels.save(
      sources.compactMap { sensor in
        metrics.savedWheel(of: sensor.source).map { WheelStore.Wheel(sensor: sensor.id, size: $0) }
      })
  }
}
