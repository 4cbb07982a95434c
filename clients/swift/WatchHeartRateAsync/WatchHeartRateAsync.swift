// Like WatchHeartRate, with Swift concurrency: updates are an asynchronous sequence, and another
// task sends a request meanwhile.
//
//     swift run watch-heart-rate-async [CONTROL_SOCKET] [COUNT]

import CyclometerClient
import CyclometerClientAsync
import Wire

@main
struct WatchHeartRateAsync {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let endpoint = arguments.count > 1 ? Endpoint(controlSocket: arguments[1]) : .standard
    var left = arguments.count > 2 ? Int(arguments[2]) : nil

    let feed = try AsyncFeed(Subscription(kinds: ["heart_rate"]), from: endpoint)
    async let sensors = feed.request("sensors")
    for try await update in feed {
      switch update {
      case .connected(let daemon, _): print("connected to release \(daemon.release)")
      case .disconnected(let reason): print("lost: \(reason)")
      case .gap(let gap): print("\(gap.lost) samples of \(gap.sensor) were lost")
      case .record:
        // The ride repeats the best sensor's value, with that sensor as the source.
        guard let sample = update.sample, sample["source"] == nil, let bpm = sample["bpm"]?.integer else { continue }
        print("\(sample.sensor): \(bpm) bpm")
        left = left.map { $0 - 1 }
      case .lag, .answer: break
      }
      if left == 0 { break }
    }
    print("\(try await sensors["sensors"]?.items?.count ?? 0) sensors are paired")
  }
}
