// The fields of points that an activity can have, by its streams.

import ActivityFiles
import SQLite

extension PointStream {
  /// In the order of `PointField`.
  static func fields(_ spans: [ActivitySpan], in database: Database) throws(SQLiteError) -> [PointField] {
    var found: [PointField] = []
    var activities: Set<Int64> = []
    for span in spans where activities.insert(span.activity).inserted {
      for stream in all(try SecondsReader.streams(of: span.activity, in: database)) {
        for (_, meaning) in stream.meanings { found += fields(of: meaning) }
      }
    }
    return PointField.allCases.filter(found.contains)
  }

  private static func fields(of meaning: PointMeaning) -> [PointField] {
    switch meaning {
    case .value(let field, _): [field]
    case .power: [.power]
    case .balance: [.leftBalance, .balance]
    case .tirePressure: [.frontTirePressure, .rearTirePressure]
    default: []
    }
  }
}
