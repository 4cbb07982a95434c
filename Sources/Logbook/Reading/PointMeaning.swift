// What the stored fields mean for a point. Of a recording, believed values are those of sensor
// `ride`; what it does not publish is read from the sensors themselves. Imported activities have one
// stream, whose fields are the point's.

import ActivityFiles

enum PointMeaning: Equatable {
  case value(PointField, scale: Double = 1)
  /// The mean of a second counts, because a power meter sends several values.
  case power
  case balance, balanceSide
  case latitude, longitude
  /// The sensor that the heart rate is from.
  case strap
  /// Of one strap of several.
  case beats
  /// The only beats there are.
  case pointBeats
  case radarTargets
  /// Distance and speed of each, alternately.
  case vehicles
  case tirePressure, tireWheel
  case counter(RideCounter)
  case paused, pauseReason, lap
}

/// How the values of a stream enter points.
struct PointStream {
  private(set) var meanings: [(field: Int, meaning: PointMeaning)] = []
  let sensor: [UInt8]

  var hasBeats: Bool { meanings.contains { $0.meaning == .beats } }
  var isRadar: Bool { meanings.contains { $0.meaning == .radarTargets } }

  static func all(_ streams: [RecordedStream]) -> [PointStream] {
    // A barometer's height is better than the receiver's, and the two differ by metres.
    let hasElevation = streams.contains { stream in
      stream.sensor.has("\"ride\"") && stream.kind.has("\"grade\"")
        && stream.fieldNames.contains { $0.has("elevation_m") }
    }
    var used: [PointField] = hasElevation ? [.altitude] : []
    var hasRadar = false
    return streams.map { stream in
      var result = PointStream(sensor: stream.sensor)
      let isFile = stream.sensor.has("\"file\"") && stream.kind.has("\"point\"")
      let isRide = stream.sensor.has("\"ride\"")
      let kind = String(decoding: stream.kind.dropFirst().dropLast(), as: UTF8.self)
      for (index, name) in stream.fieldNames.enumerated() {
        let name = String(decoding: name, as: UTF8.self)
        let found = isFile ? ofFile(name) : isRide ? ofRide(kind, name) : ofSensor(kind, name)
        guard let found else { continue }
        // Of several such sensors the first one counts, so that values do not alternate.
        switch found {
        case .radarTargets:
          guard !hasRadar else { continue }
          hasRadar = true
        case .value(let field, _):
          let isElevation = isRide && kind == "grade" && field == .altitude
          guard isElevation || !used.contains(field) else { continue }
          used.append(field)
        default: break
        }
        result.meanings.append((index, found))
      }
      return result
    }
  }

  private static func ofFile(_ field: String) -> PointMeaning? {
    switch field {
    case "latitude_deg": .latitude
    case "longitude_deg": .longitude
    case "rr_ms": .pointBeats
    case "vehicles": .vehicles
    default: PointField(seriesName: field).map { .value($0) }
    }
  }

  private static func ofRide(_ kind: String, _ field: String) -> PointMeaning? {
    switch (kind, field) {
    case ("heart_rate", "bpm"): .value(.heartRate)
    case ("heart_rate", "source"): .strap
    case ("power", "power_w"): .power
    case ("power", "pedal_balance_pct"): .balance
    case ("power", "pedal_balance_reference"): .balanceSide
    case ("cadence", "cadence_rpm"): .value(.cadence)
    // Files count strides, of two steps each.
    case ("cadence", "cadence_per_min"): .value(.cadence, scale: 0.5)
    case ("speed", "speed_mps"): .value(.speed)
    case ("position", "latitude_deg"): .latitude
    case ("position", "longitude_deg"): .longitude
    case ("position", "altitude_m"), ("grade", "elevation_m"): .value(.altitude)
    case ("position", "accuracy_m"): .value(.positionAccuracy)
    case ("grade", "grade_pct"): .value(.grade)
    case ("hrv", "breaths_per_min"): .value(.breathingRate)
    case ("ride", "distance_m"): .value(.distance)
    case ("ride", "energy_kcal"): .value(.energy)
    case ("ride", "cars_passed"): .value(.vehicleCount)
    case ("ride", "paused"): .paused
    case ("ride", "pause"): .pauseReason
    case ("ride", "lap"): .lap
    case ("ride", _): RideCounter(field: field).map { .counter($0) }
    default: nil
    }
  }

  private static func ofSensor(_ kind: String, _ field: String) -> PointMeaning? {
    switch (kind, field) {
    case ("heart_rate", "rr_ms"): .beats
    case ("radar", "targets"): .radarTargets
    case ("tire_pressure", "pressure_gauge_pa"): .tirePressure
    case ("tire_pressure", "wheel"): .tireWheel
    case ("body_temperature", "core_temperature_c"): .value(.coreTemperature)
    case ("body_temperature", "skin_temperature_c"): .value(.skinTemperature)
    case ("body_temperature", "heat_strain_index"): .value(.heatStrainIndex)
    case ("muscle_oxygen", "smo2_pct"): .value(.muscleOxygen)
    case ("muscle_oxygen", "thb_g_per_dl"): .value(.hemoglobin)
    case ("environment", "temperature_c"): .value(.airTemperature)
    case ("environment", "pressure_pa"): .value(.airPressure)
    default: nil
    }
  }
}
