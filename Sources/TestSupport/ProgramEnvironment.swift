// What programs under test get of this process's own environment.

internal import Foundation

private let own = ProcessInfo.processInfo.environment

/// Memory and time that are a sanitizer's own are not to be measured.
public let isSanitized = own["ASAN_OPTIONS"] != nil || own["TSAN_OPTIONS"] != nil

/// Where programs look for others, and what sanitizers and coverage are told, for programs are built with these as the tests are.
/// Leaks are looked for in programs alone: a test that is over leaves loops behind, with what waited in them.
public let programEnvironment: [String: String] = {
  let tools: Set = ["LLVM_PROFILE_FILE", "LSAN_OPTIONS", "TSAN_OPTIONS"]
  var environment = own.filter { tools.contains($0.key) }
  environment["ASAN_OPTIONS"] = own["ASAN_OPTIONS"].map { $0 + ":detect_leaks=1" }
  environment["PATH"] = "/usr/bin:/bin"
  return environment
}()
