// The environment of programs under test.

internal import Foundation

private let own = ProcessInfo.processInfo.environment

/// With a sanitizer, memory and time must not be measured.
public let isSanitized = own["ASAN_OPTIONS"] != nil || own["TSAN_OPTIONS"] != nil

/// The search path and the settings of sanitizers and coverage, because the programs are built like
/// the tests. Leaks are only checked in programs: finished tests leave loops with pending work
/// behind.
public let programEnvironment: [String: String] = {
  let tools: Set = ["LLVM_PROFILE_FILE", "LSAN_OPTIONS", "TSAN_OPTIONS"]
  var environment = own.filter { tools.contains($0.key) }
  environment["ASAN_OPTIONS"] = own["ASAN_OPTIONS"].map { $0 + ":detect_leaks=1" }
  environment["PATH"] = "/usr/bin:/bin"
  return environment
}()
