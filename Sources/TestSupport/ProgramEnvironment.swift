// What programs under test get of this process's own environment.

internal import Foundation

/// Where they look for other programs, and what sanitizers and coverage are told, for they are built with these as the tests are.
public let programEnvironment: [String: String] = {
  let tools: Set = ["ASAN_OPTIONS", "LLVM_PROFILE_FILE", "LSAN_OPTIONS", "TSAN_OPTIONS"]
  let told = ProcessInfo.processInfo.environment.filter { tools.contains($0.key) }
  return told.merging(["PATH": "/usr/bin:/bin"]) { $1 }
}()
