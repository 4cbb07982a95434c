// Series of heartbeats with the results of numpy, scipy and neurokit2. Made by
// Tests/Metrics/reference/body.py.

import Foundation
import Testing

@testable import Metrics

struct BodyReference: Decodable, CustomTestStringConvertible {
  let name: String
  /// Intervals in 1/1024 s.
  let ticks: [Int]
  /// The results for the series without artefacts.
  let rmssd: Double
  let sdnn: Double
  let alpha1: Double
  let alpha1Neurokit: Double
  let breathsTrue: Double?
  let breathsScipy: Double?
  /// The results of neurokit2 for the series with artefacts, which it corrects first.
  let corrected: Corrected?

  struct Corrected: Decodable {
    let rmssd: Double
    let sdnn: Double
    let alpha1: Double
  }

  var intervals: [Double] { ticks.map { Double($0) * 1000 / 1024 } }
  var testDescription: String { name }

  static let all: [BodyReference] = {
    struct File: Decodable { let rows: [BodyReference] }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Metrics/reference/body.json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let data = try? Data(contentsOf: file), let read = try? decoder.decode(File.self, from: data) else {
      return []
    }
    return read.rows
  }()

  static var clean: [BodyReference] { all.filter { $0.corrected == nil } }
  static var withArtefacts: [BodyReference] { all.filter { $0.corrected != nil } }
  static var breathing: [BodyReference] { all.filter { $0.breathsTrue != nil } }
}
