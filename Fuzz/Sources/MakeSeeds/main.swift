// Generates the initial inputs of the fuzz targets from captures, vectors, the dialogues in
// docs/protocol.md and docs/logbook.md, conversations with programs, a few requests and messages of a broker:
// `MakeSeeds FOLDER FILE...` writes
// FOLDER/TARGET/SEED. The name of a seed is a hash of its bytes.

import DecoderScript
import Linux
import Sensors

private func write(_ bytes: [UInt8], _ folder: String) throws(SystemError) {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  try Files.replace("\(folder)/\(String(hash, radix: 16))", with: bytes, mode: 0o644)
}

private func makeSeeds(_ folder: String, _ paths: ArraySlice<String>) throws(SystemError) {
  try Files.createDirectory("\(folder)/FuzzCaptures", mode: 0o755)
  try Files.createDirectory("\(folder)/FuzzDecoders", mode: 0o755)
  try Files.createDirectory("\(folder)/FuzzControl", mode: 0o755)
  try Files.createDirectory("\(folder)/FuzzLogbook", mode: 0o755)
  try Files.createDirectory("\(folder)/FuzzHTTP", mode: 0o755)
  try Files.createDirectory("\(folder)/FuzzProcesses", mode: 0o755)
  try Files.createDirectory("\(folder)/FuzzFleet", mode: 0o755)
  for request in requestSeeds() { try write(request, "\(folder)/FuzzHTTP") }
  for messages in fleetSeeds() { try write(messages, "\(folder)/FuzzFleet") }
  for path in paths {
    let content = try Files.read(path)
    guard !path.hasSuffix("logbook.md") else {
      for script in logbookScripts(of: content) { try write(script, "\(folder)/FuzzLogbook") }
      continue
    }
    guard !path.hasSuffix("process.json") else {
      for script in processScripts(of: content) { try write(script, "\(folder)/FuzzProcesses") }
      continue
    }
    guard !path.hasSuffix(".md") else {
      for script in controlScripts(of: content) { try write(script, "\(folder)/FuzzControl") }
      continue
    }
    for capture in path.hasSuffix(".json") ? captures(ofVectors: content) : [content] {
      try write(capture, "\(folder)/FuzzCaptures")
      for script in scripts(of: capture, builtInPlugins) { try write(script.bytes, "\(folder)/FuzzDecoders") }
    }
  }
}

do throws(SystemError) {
  try makeSeeds(CommandLine.arguments[1], CommandLine.arguments[2...])
} catch {
  fatalError("\(error.reason)")
}
