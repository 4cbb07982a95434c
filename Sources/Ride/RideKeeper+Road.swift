// GPS fixes for the ride, and wheel sizes measured from them.

import EventLoop
import Linux
package import Metrics
import SensorKit
import Time

extension RideKeeper {
  /// A fix as the receiver reported it.
  package func handle(_ fix: Fix) {
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

  package var wantsManyFixes: Bool { metrics.wantsManyFixes(at: loop.now) }

  /// The circumference that the sensor's plugin should use; nil if the ride knows none.
  package func usedMM(of id: String) -> Double? { registered(id)?.circumferenceM.map { $0 * 1000 } }

  /// The measured circumference of the sensor's wheel; nil if it was not measured.
  package func measuredMM(of id: String) -> Double? {
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
