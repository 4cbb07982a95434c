// Turns the conversations with programs into scripts, in the layout that FuzzProcesses reads.

import JSON

/// One script for each conversation, and one of all of them.
func processScripts(of content: [UInt8]) -> [[UInt8]] {
  guard let file = try? JSONValue.parse(content) else { return [] }
  let scripts = (file["conversations"]?.items ?? []).map(script)
  return scripts + [Array(scripts.joined(separator: [UInt8(0x57)]))]
}

private func script(_ conversation: JSONValue) -> [UInt8] {
  let isRadar = conversation["file"] == "magene_process"
  // A session, its link, the program's connection; the first two commands of a whole one come by themselves.
  var bytes: [UInt8] = [isRadar ? 0x18 : 0x08, 0x0a, 0x00]
  let lines = conversation["lines"]?.items ?? []
  if lines.first?["line"]?["class"] != "hello" { bytes.append(isRadar ? 0x43 : 0x03) }
  for line in lines {
    guard let content = line["line"] else { continue }
    if line["from"] == "program" { bytes += fromProgram(content) } else { bytes += fromDaemon(content) }
  }
  return bytes
}

private func fromProgram(_ line: JSONValue) -> [UInt8] {
  if let pause = line["wait_ms"]?.integer { return pause > 1000 ? [0xcf] : [0x8f] }
  if line["close"] != nil { return [0x47] }
  return sized(0x02, Array((line.text ?? line.encoded).utf8))
}

private func fromDaemon(_ line: JSONValue) -> [UInt8] {
  if let times = line["repeat"]?.integer { return [0x0c, UInt8(clamping: times)] }
  switch line["class"]?.text {
  case "packet":
    let digits = Array((line["hex"]?.text ?? "").utf8)
    return sized(0x0b, JSON.bytes(ofHex: String(decoding: digits, as: UTF8.self)) ?? [])
  // A program gets the tick that it asked for.
  case "tick": return [0x0b, 1, 0] + sized(0x04, Array(#","tick_ms":100"#.utf8)) + [0x5f]
  default: return []
  }
}

/// A step with bytes. Long ones are padded with spaces to a multiple of eight.
func sized(_ step: UInt8, _ line: [UInt8]) -> [UInt8] {
  guard line.count >= 128 else { return [step, UInt8(line.count)] + line }
  let blocks = min(128, (line.count + 7) / 8)
  let padding = [UInt8](repeating: UInt8(ascii: " "), count: max(0, blocks * 8 - line.count))
  return [step, UInt8(127 + blocks)] + line.prefix(blocks * 8) + padding
}
