// Times our decoders for Benchmarks/decode, which runs this in turns with the other decoders. All
// output is JSON.
//
//   DecodeBenchmark frames CAPTURE...                        the frames
//   DecodeBenchmark measure MILLISECONDS SHARED CAPTURE...   the time for each
//   DecodeBenchmark values SHARED CAPTURE...                 their decoded fields
//
// SHARED lists, for each other decoder, the frames of a profile that it also supports.

import Linux
import SensorKit
import Wire

func hexText(_ bytes: ArraySlice<UInt8>) -> JSON {
  .string(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
}

func described(_ profile: Profile) -> JSON {
  let frames = profile.frames
  return .object([
    JSON.Member("profile", .string(profile.name)),
    JSON.Member(
      "frames",
      .array(
        (0..<frames.count).map { index in
          let source = frames.source(index)
          var members = [
            JSON.Member("hex", hexText(frames.frame(index))),
            JSON.Member("device", .number(Double(frames.device(index)))),
          ]
          if case .manufacturer(let company) = source.origin {
            members.append(JSON.Member("company", .number(Double(company))))
            members.append(JSON.Member("name", .string(source.sender.name)))
            members.append(JSON.Member("address", .string(source.sender.address)))
          }
          return .object(members)
        })),
  ])
}

/// For each other decoder the result of `body` for the frames that it also supports, by profile.
func compared(_ workload: PluginWorkload, _ shared: JSON, _ body: (Frames) -> JSON) -> JSON {
  .object(
    (shared.members ?? []).map { decoder in
      let profiles = workload.profiles.compactMap { profile -> JSON.Member? in
        let key = "\(workload.id) \(profile.name)"
        guard let items = decoder.value[key]?["frames"]?.items else { return nil }
        return JSON.Member(key, body(profile.frames.only(items.compactMap { $0.number.map { Int($0) } })))
      }
      return JSON.Member(decoder.name, .object(profiles))
    })
}

/// Frames that another decoder also supports are measured again, by themselves.
func measured(_ workload: PluginWorkload, seconds: Double, shared: JSON) -> [JSON.Member] {
  let alone = Measurement(decoding: workload.all, byPluginOf: workload, seconds: seconds)
  let hosted = Measurement(decoding: workload.all, byHostOf: workload, seconds: seconds)
  let loop = Measurement(goingThrough: workload.all, seconds: seconds)
  let encoding = Measurement(encoding: workload.all, by: workload, seconds: seconds)
  return [
    JSON.Member("frames", .number(Double(workload.all.count))),
    JSON.Member("ns", .number(alone.nanoseconds)),
    JSON.Member("host_ns", .number(hosted.nanoseconds)),
    JSON.Member("loop_ns", .number(loop.nanoseconds)),
    JSON.Member("allocations", .number(max(alone.allocations, hosted.allocations))),
    JSON.Member("encode_ns", .number(encoding.nanoseconds)),
    JSON.Member("encode_allocations", .number(encoding.allocations)),
    JSON.Member("shared", compared(workload, shared) { measured($0, of: workload, seconds: seconds) }),
  ]
}

func measured(_ frames: Frames, of workload: PluginWorkload, seconds: Double) -> JSON {
  let alone = Measurement(decoding: frames, byPluginOf: workload, seconds: seconds)
  let hosted = Measurement(decoding: frames, byHostOf: workload, seconds: seconds)
  let loop = Measurement(goingThrough: frames, seconds: seconds)
  return .object([
    JSON.Member("ns", .number(alone.nanoseconds)), JSON.Member("host_ns", .number(hosted.nanoseconds)),
    JSON.Member("loop_ns", .number(loop.nanoseconds)),
  ])
}

func run(_ words: [String]) throws {
  var output = JSONWriter()
  switch words.first {
  case "frames":
    let plugins = try Workloads(captures: Array(words.dropFirst())).plugins
    output.value(.object(plugins.map { JSON.Member($0.id, .array($0.profiles.map(described))) }))
  case "measure" where words.count > 3:
    guard let milliseconds = Double(words[1]) else { throw UsageError() }
    let shared = try JSON.parse(try Files.read(words[2]))
    let plugins = try Workloads(captures: Array(words.dropFirst(3))).plugins.filter { $0.all.count > 0 }
    output.value(
      .object(
        plugins.map {
          JSON.Member($0.id, .object(measured($0, seconds: milliseconds / 1000, shared: shared)))
        }))
  case "values" where words.count > 2:
    let shared = try JSON.parse(try Files.read(words[1]))
    let plugins = try Workloads(captures: Array(words.dropFirst(2))).plugins
    output.value(
      .object(plugins.map { plugin in JSON.Member(plugin.id, compared(plugin, shared) { plugin.values(of: $0) }) }))
  default: throw UsageError()
  }
  print(String(decoding: output.bytes, as: UTF8.self))
}

struct UsageError: Error {}

try run(Array(CommandLine.arguments.dropFirst()))
