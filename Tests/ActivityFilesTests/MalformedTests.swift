// Broken and odd files: Vectors/malformed/expect.json says what must come out of each. The content
// decides which reader is used, as in an import.

import ActivityFiles
import ActivityVectors
import Foundation
import JSON
import Testing
import Time

@Suite struct MalformedTests {
  static let names: [String] = {
    guard case .object(let members)? = try? Vector.json("malformed/expect.json") else { return [] }
    return members.map(\.name)
  }()

  @Test("each malformed file has an expectation")
  func completeness() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Vector.folder.appending(path: "malformed").path)
    #expect(Set(files).subtracting(["expect.json"]) == Set(Self.names))
    #expect(Self.names.count == 80)
  }

  @Test("a malformed file ends as expected", arguments: names)
  func verdict(name: String) throws {
    let expected = try #require(try Vector.json("malformed/expect.json")[name])
    let bytes = try Vector.bytes("malformed/\(name)")
    let verdicts = expected["verdicts"]?.texts ?? [expected["verdict"]?.text ?? ""]
    do throws(ActivityFileError) {
      let result = try read(bytes, with: AnyActivityReader(as: .activity))
      #expect(
        verdicts.contains(result.warnings.isEmpty ? "accept" : "warn") || verdicts == ["any"], "\(result.warnings)")
      if verdicts == ["warn"] {
        #expect(matches(result.warnings.joined(separator: "\n"), expected), "\(result.warnings)")
      }
      check(result, expected)
    } catch {
      #expect(verdicts.contains("refuse") || verdicts == ["any"], "\(error)")
      if verdicts == ["refuse"] { #expect(matches(error.description, expected), "\(error)") }
    }
    if let count = expected["route_points"]?.integer {
      #expect(try read(bytes, with: AnyActivityReader()).routePoints.count == count)
      #expect(try read(bytes, with: AnyActivityReader(as: .route)).routePoints.count == count)
    }
  }

  private func matches(_ text: String, _ expected: JSONValue) -> Bool {
    guard let pattern = expected["says"]?.text else { return true }
    return text.range(of: pattern, options: [.regularExpression, .caseInsensitive]) != nil
  }

  private func check(_ result: ReadItems, _ expected: JSONValue) {
    let points = result.points
    if let count = expected["records"]?.integer { #expect(points.count == count) }
    if let least = expected["records_min"]?.integer { #expect(points.count >= least) }
    if let most = expected["records_max"]?.integer { #expect(points.count <= most) }
    if let count = expected["positions"]?.integer { #expect(points.count { $0.position != nil } == count) }
    if let counts = expected["rides"]?.items { #expect(counts.contains(.number(Double(result.headers.count)))) }
    if let start = expected["start"]?.text {
      #expect(
        result.headers.first?.start?.seconds
          == (try? Date(start, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) })
    }
    for field in PointField.allCases {
      if let value = expected["fields"]?[field.name]?.number { #expect(points.contains { $0[field] == value }) }
      if let values = expected["values"]?[field.name]?.items {
        #expect(points.compactMap { $0[field] } == values.compactMap(\.number))
      }
      if expected["absent"]?.texts?.contains(field.name) ?? false { #expect(!points.contains { $0[field] != nil }) }
    }
  }

  @Test("the size of the pieces does not change what is read", arguments: names)
  func pieces(name: String) throws {
    let bytes = try Vector.bytes("malformed/\(name)")
    let whole = outcome(bytes, inPieces: max(1, bytes.count))
    for size in [1, 7, 300] where bytes.count < 2000 || size > 1 {
      #expect(outcome(bytes, inPieces: size) == whole)
    }
  }

  private func outcome(_ bytes: [UInt8], inPieces size: Int) -> Result<ReadItems, ActivityFileError> {
    Result { () throws(ActivityFileError) in try read(bytes, with: AnyActivityReader(), inPieces: size) }
  }
}
