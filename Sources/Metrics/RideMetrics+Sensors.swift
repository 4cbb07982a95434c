// The sensors of a ride: which there are, and what becomes of the ride when one is lost or forgotten.

public import SensorKit
public import Time

extension RideMetrics {
  /// Registers a sensor, or updates it if the id is known. Returns the index for its samples. The
  /// index of a sensor that left is reused.
  public mutating func enter(_ sensor: Sensor) -> Source {
    let id = Array(sensor.id.utf8)
    let source = sensors.firstIndex(of: id) ?? wheels.firstIndex(where: \.isGone) ?? sensors.count
    if source == sensors.count {
      sensors.append(id)
      watches.append(SensorWatch())
      wheels.append(WheelNumbers(sensor))
      bikes.shareOut(sensors)
    } else if wheels[source].isGone {
      sensors[source] = id
      wheels[source] = WheelNumbers(sensor)
      bikes.shareOut(sensors)
    }
    watches[source].set(sensor)
    wheels[source].apply(sensor)
    notePedal(sensor, of: source)
    eachChooser { $0.enter(source, priority: sensor.priority) }
    return source
  }

  /// The sensor was forgotten.
  public mutating func leave(_ source: Source) {
    eachChooser { $0.leave(source) }
    watches[source] = SensorWatch()
    sport.forget(source)
    wheels[source] = .gone
    // Publish the other wheels again: clients may have dropped their values together with this one.
    for other in wheels.indices { wheels[other].repeatSize() }
    odometer.forget(source)
    road.stuck.forget(source)
    body.forget(source)
    bikes.lost(source)
    leavePedals(source)
  }

  /// The session reported that the sensor is silent or gone.
  public mutating func lost(_ source: Source, at time: MonotonicTime, into out: inout Batch) {
    if watches[source].lose(sensors[source], into: &out) { training.cars.lose() }
    body.interrupt(source)
    bikes.lost(source)
    eachChooser { $0.lost(source, at: time) }
    losePedal(source, at: time)
  }

  public mutating func note(signal: Double?, of source: Source) {
    eachChooser { $0.note(signal: signal, of: source) }
  }

  mutating func eachChooser(_ body: (inout SourceChooser) -> Void) {
    body(&speeds)
    body(&cadences)
    body(&powers)
    body(&heartRates)
  }
}
