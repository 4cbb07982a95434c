// Prints the heart rate, and reports when the daemon or a sensor is lost. It has one thread and
// needs no Foundation:
//
//     swift run watch-heart-rate [CONTROL_SOCKET] [COUNT]

import CyclometerClient
import CyclometerSamples
import Wire

let arguments = CommandLine.arguments
let endpoint = arguments.count > 1 ? Endpoint(controlSocket: arguments[1]) : .standard
var left = arguments.count > 2 ? Int(arguments[2]) : nil

let feed = try Feed(Subscription(kinds: ["heart_rate"]), from: endpoint)
while left != 0, let update = try feed.next() {
  switch update {
  case .connected(let daemon, let isNewInstance):
    print("connected to release \(daemon.release)\(isNewInstance ? ", after a restart" : "")")
  case .disconnected(let reason):
    print("lost: \(reason)")
  case .gap(let gap):
    print("\(gap.lost) samples of \(gap.sensor) were lost")
  case .record(let record):
    // The ride repeats the best sensor's value, with that sensor as the source.
    if let heartRate = HeartRateSample(update.sample), heartRate.source == nil, let bpm = heartRate.bpm {
      print("\(heartRate.sample.sensor): \(bpm) bpm")
      left = left.map { $0 - 1 }
    } else if let state = record["state"]?.text {
      print("\(record["sensor"]?.text ?? "a sensor") is \(state)")
    }
  case .lag, .answer: break
  }
}
