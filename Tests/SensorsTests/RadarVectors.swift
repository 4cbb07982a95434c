// How the vectors of radars are compared: the `targets` of a frame are the objects of a sample, an
// empty list is a clear road, and a piece of a packet gives no sample.

import JSON

enum RadarVectors {
  static let names = ["slot": "id"]
  static let levels = ["none": 0.0, "approaching": 1, "fast_approaching": 2]

  /// What the sample of a frame must contain, with the field names of samples.
  static func expectation(_ expect: JSONValue) -> JSONValue {
    guard let targets = expect["targets"]?.items else { return expect }
    let isPiece = expect["more_fragments"] == true
    if isPiece { return ["complete": false] }
    return ["clear": .bool(targets.isEmpty), "targets": .array(targets.map(target))]
  }

  private static func target(_ target: JSONValue) -> JSONValue {
    .object(
      (target.members ?? []).map { member in
        let level = member.name == "level" ? member.value.text.flatMap { levels[$0] } : nil
        return JSONValue.Member(names[member.name] ?? member.name, level.map { .number($0) } ?? member.value)
      })
  }
}
