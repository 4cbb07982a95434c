// Turns a file of vectors into captures: one per sequence, and one per dozen of single frames.

import JSON
import Vocabulary

private struct Frame {
  let milliseconds: Double
  let characteristic: BluetoothUUID
  let hex: String
}

func captures(ofVectors content: [UInt8]) -> [[UInt8]] {
  guard let file = try? JSONValue.parse(content) else { return [] }
  let own = file["characteristic"]?.text ?? ""
  let single = ((file["cases"]?.items ?? []) + (file["malformed"]?.items ?? [])).compactMap { frame($0, own) }
  let sequences = (file["sequences"]?.items ?? []).map { row in
    (row["sequence"]?.items ?? []).compactMap { frame($0, row["characteristic"]?.text ?? own) }
  }
  let dozens = stride(from: 0, to: single.count, by: 12).map { Array(single[$0..<min(single.count, $0 + 12)]) }
  return (sequences + dozens).filter { !$0.isEmpty }.map(capture)
}

/// Nil for an advert, because the captures contain enough of them.
private func frame(_ row: JSONValue, _ characteristic: String) -> Frame? {
  guard let uuid = BluetoothUUID(row["characteristic"]?.text ?? characteristic), let hex = row["hex"]?.text else {
    return nil
  }
  return Frame(milliseconds: row["t_ms"]?.number ?? 0, characteristic: uuid, hex: hex)
}

private func capture(_ frames: [Frame]) -> [UInt8] {
  var text = "#cyclometer-capture 1\ndevice d\nset d circumference_mm=2096\n"
  for frame in frames {
    text += "\(frame.milliseconds / 1000) d notify \(frame.characteristic) \(frame.hex.isEmpty ? "-" : frame.hex)\n"
  }
  return Array(text.utf8)
}
