// Times our decoders for Benchmarks/decode, which runs this in turns with the other decoders. All
// output is JSON.
//
//   DecodeBenchmark frames CAPTURE...                        the frames
//   DecodeBenchmark measure MILLISECONDS SHARED CAPTURE...   the time for each
//   DecodeBenchmark values SHARED CAPTURE...                 their decoded fields
//   DecodeBenchmark declared MILLISECONDS PLUGIN=FILE... -- CAPTURE...
//                                                            the time of built-in plugins, and of
//                                                            files that decode the same
//
// SHARED lists, for each other decoder, the frames of a profile that it also supports.

import JSON
import Linux
import SensorKit

func hexText(_ bytes: ArraySlice<UInt8>) -> JSONValue {
  .string(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
}

func described(_ profile: Profile) -> JSONValue {
  let frames = profile.frames
  return .object([
    JSONValue.Member("profile", .string(profile.name)),
    JSONValue.Member(
      "frames",
      .array(
        (0..<frames.count).map { index in
          let source = frames.source(index)
          var members = [
            JSONValue.Member("hex", hexText(frames.frame(index))),
            JSONValue.Member("device", .number(Double(frames.device(index)))),
          ]
          if case .manufacturer(let company) = source.origin {
            members.append(JSONValue.Member("company", .number(Double(company))))
            members.append(JSONValue.Member("name", .string(source.sender.name)))
            members.append(JSONValue.Member("address", .string(source.sender.address)))
          }
          return .object(members)
        })),
  ])
}

/// For each other decoder the result of `body` for the frames that it also supports, by profile.
func compared(_ workload: PluginWorkload, _ shared: JSONValue, _ body: (Frames) -> JSONValue) -> JSONValue {
  .object(
    (shared.members ?? []).map { decoder in
      let profiles = workload.profiles.compactMap { profile -> JSONValue.Member? in
        let key = "\(workload.id) \(profile.name)"
        guard let items = decoder.value[key]?["frames"]?.items else { return nil }
        return JSONValue.Member(key, body(profile.frames.only(items.compactMap { $0.number.map { Int($0) } })))
      }
      return JSONValue.Member(decoder.name, .object(profiles))
    })
}

/// Frames that another decoder also supports are measured again, by themselves.
func measured(_ workload: PluginWorkload, seconds: Double, shared: JSONValue) -> [JSONValue.Member] {
  let alone = Measurement(decoding: workload.all, byPluginOf: workload, seconds: seconds)
  let hosted = Measurement(decoding: workload.all, byHostOf: workload, seconds: seconds)
  let loop = Measurement(goingThrough: workload.all, seconds: seconds)
  let encoding = Measurement(encoding: workload.all, by: workload, seconds: seconds)
  return [
    JSONValue.Member("frames", .number(Double(workload.all.count))),
    JSONValue.Member("ns", .number(alone.nanoseconds)),
    JSONValue.Member("host_ns", .number(hosted.nanoseconds)),
    JSONValue.Member("loop_ns", .number(loop.nanoseconds)),
    JSONValue.Member("allocations", .number(max(alone.allocations, hosted.allocations))),
    JSONValue.Member("encode_ns", .number(encoding.nanoseconds)),
    JSONValue.Member("encode_allocations", .number(encoding.allocations)),
    JSONValue.Member("shared", compared(workload, shared) { measured($0, of: workload, seconds: seconds) }),
  ]
}

func measured(_ frames: Frames, of workload: PluginWorkload, seconds: Double) -> JSONValue {
  let alone = Measurement(decoding: frames, byPluginOf: workload, seconds: seconds)
  let hosted = Measurement(decoding: frames, byHostOf: workload, seconds: seconds)
  let loop = Measurement(goingThrough: frames, seconds: seconds)
  return .object([
    JSONValue.Member("ns", .number(alone.nanoseconds)), JSONValue.Member("host_ns", .number(hosted.nanoseconds)),
    JSONValue.Member("loop_ns", .number(loop.nanoseconds)),
  ])
}

func run(_ words: [String]) throws {
  var output = JSONWriter()
  switch words.first {
  case "frames":
    let plugins = try Workloads(captures: Array(words.dropFirst())).plugins
    output.value(.object(plugins.map { JSONValue.Member($0.id, .array($0.profiles.map(described))) }))
  case "measure" where words.count > 3:
    guard let milliseconds = Double(words[1]) else { throw UsageError() }
    let shared = try JSONValue.parse(try Files.read(words[2]))
    let plugins = try Workloads(captures: Array(words.dropFirst(3))).plugins.filter { $0.all.count > 0 }
    output.value(
      .object(
        plugins.map {
          JSONValue.Member($0.id, .object(measured($0, seconds: milliseconds / 1000, shared: shared)))
        }))
  case "values" where words.count > 2:
    let shared = try JSONValue.parse(try Files.read(words[1]))
    let plugins = try Workloads(captures: Array(words.dropFirst(2))).plugins
    output.value(
      .object(plugins.map { plugin in JSONValue.Member(plugin.id, compared(plugin, shared) { plugin.values(of: $0) }) })
    )
  case "declared" where words.count > 3:
    guard let milliseconds = Double(words[1]), let end = words.firstIndex(of: "--") else { throw UsageError() }
    let files = words[2..<end].map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    let plugins = try Workloads(captures: Array(words[(end + 1)...])).plugins
    output.value(
      .object(
        try files.map { file in
          guard file.count == 2, let plugin = plugins.first(where: { $0.id == file[0] }) else { throw UsageError() }
          let comparison = try DeclaredComparison(plugin, file: file[1], seconds: milliseconds / 1000)
          return JSONValue.Member(file[0], comparison.described)
        }))
  default: throw UsageError()
  }
  print(String(decoding: output.bytes, as: UTF8.self))
}

struct UsageError: Error {}

try run(Array(CommandLine.arguments.dropFirst()))
