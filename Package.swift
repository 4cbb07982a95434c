// swift-tools-version: 6.2
// The targets and their dependencies define the architecture: there are no other arrows. `swift
// build --explicit-target-dependency-import-check error` enforces that in the sources.
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A library target in Swift.
func library(_ name: String, _ dependencies: [Target.Dependency] = [], linked: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, swiftSettings: settings,
    linkerSettings: linked.map { .linkedLibrary($0) })
}

func program(
  _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, linkerSettings: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path, swiftSettings: settings, linkerSettings: linkerSettings)
}

/// cyclo needs no C library but libc, and starts twice as fast if that is linked statically. This
/// matters because a shell runs cyclo at each key for completion. Only `make build` sets the
/// variable: tests are linked with the code they test, and cannot be static.
let whollyStatic: [LinkerSetting] =
  Context.environment["CYCLOMETER_STATIC"] == nil ? [] : [.unsafeFlags(["-static-executable"])]

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
  name: "cyclometer",
  products: [
    .executable(name: "cyclometerd", targets: ["cyclometerd"]),
    .executable(name: "cyclo", targets: ["cyclo"]),
    // Wire has the values that records consist of.
    .library(name: "CyclometerClient", targets: ["CyclometerClient", "CyclometerSamples", "Wire"]),
    .library(name: "CyclometerClientAsync", targets: ["CyclometerClientAsync", "CyclometerClient", "Wire"]),
    // Used by the nested package Benchmarks.
    .library(name: "DBus", targets: ["DBus"]),
    .library(name: "EventLoop", targets: ["EventLoop"]),
    .library(name: "Linux", targets: ["Linux"]),
    .library(name: "TestSupport", targets: ["TestSupport"]),
    .library(name: "SensorKit", targets: ["SensorKit"]),
    .library(name: "Sensors", targets: ["Sensors"]),
    .library(name: "Wire", targets: ["Wire"]),
    .library(name: "CAllocationCounter", targets: ["CAllocationCounter"]),
  ],
  targets: [
    // C libraries: a module map and a shim header each, used by one Swift target only.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMath"),
    .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),

    // The foundation.
    library("Linux", ["CLinux"]),
    library("EventLoop", ["Linux"]),
    library("DBus", ["CDBus", "EventLoop", "Linux"]),
    library("BlueZ", ["CBluetooth", "DBus", "EventLoop", "Linux"]),

    // Decoding and derived numbers. Pure: no clock, no descriptor, no BlueZ.
    library("SensorKit", linked: ["m"]),  // for rounding; no import brings libm
    library("Sensors", ["SensorKit"]),
    library("Metrics", ["CMath", "SensorKit"]),
    library("Wire", ["SensorKit"]),
    // Positions from gpsd: parsing its reports, and connecting to it.
    library("PositionReports", ["Metrics", "SensorKit", "Wire"]),
    library("Position", ["EventLoop", "Linux", "Metrics", "PositionReports", "SensorKit", "Wire"]),
    library("CaptureDecoding", ["Metrics", "PositionReports", "SensorKit", "Wire"]),

    // The daemon, and the radio that replaces BlueZ in simulations.
    library(
      "DaemonCore",
      [
        "BlueZ", "CInih", "DBus", "EventLoop", "Linux", "Metrics", "Position", "PositionReports", "SensorKit",
        "Sensors",
        "Wire",
      ]),
    library("Simulation", ["DaemonCore", "EventLoop", "Linux", "SensorKit", "Sensors", "Wire"]),

    // Support for tests: a private bus, virtual time, a scripted BlueZ.
    library("TestSupport", ["DBus", "EventLoop", "Linux"]),
    tests("LinuxTests", ["CLinux", "Linux", "TestSupport"]),
    tests("EventLoopTests", ["EventLoop", "Linux", "TestSupport"]),
    tests("DBusTests", ["DBus", "EventLoop", "Linux", "TestSupport"]),
    tests(
      "BlueZTests",
      [
        "BlueZ", "AllocationCounting", "CAllocationCounter", "DBus", "DaemonCore", "EventLoop", "Linux", "SensorKit",
        "TestSupport", "Wire",
      ]),
    tests("TestSupportTests", ["DBus", "EventLoop", "Linux", "TestSupport"]),

    tests(
      "DaemonCoreTests",
      [
        "AllocationCounting", "CAllocationCounter", "DaemonCore", "EventLoop", "Linux", "Metrics", "Position",
        "SensorKit", "TestSupport", "Wire", "generate-pages",
      ]),

    // Days of riding in virtual time, with failures of all kinds.
    program("soak", ["DBus", "DaemonCore", "EventLoop", "Linux", "TestSupport", "Wire"], path: "Tests/Soak"),
    tests("SoakTests", ["DBus", "EventLoop", "Linux", "TestSupport", "soak"]),

    // Prints the pages of docs and man that are generated from the sources.
    program(
      "generate-pages",
      ["CaptureDecoding", "CommandTable", "DaemonCore", "SensorKit", "Sensors", "Troubleshooting", "Wire"],
      path: "Tests/Pages"),

    // Programs and client libraries.
    library("CommandTable"),
    // Everything that `cyclo doctor` can find, for doctor and for docs/troubleshooting.md.
    library("Troubleshooting"),
    library("CyclometerClient", ["Linux", "Wire"]),
    library("CyclometerSamples", ["Wire"]),
    // Separate, because it needs the concurrency runtime.
    library("CyclometerClientAsync", ["CyclometerClient", "Linux", "Wire"]),
    program(
      "watch-heart-rate", ["CyclometerClient", "CyclometerSamples", "Wire"], path: "clients/swift/WatchHeartRate"),
    program(
      "watch-heart-rate-async", ["CyclometerClient", "CyclometerClientAsync", "Wire"],
      path: "clients/swift/WatchHeartRateAsync"),
    program("cyclometerd", ["CommandTable", "DBus", "DaemonCore", "EventLoop", "Linux", "Simulation", "Wire"]),
    program(
      "cyclo",
      [
        "CaptureDecoding", "CommandTable", "CyclometerClient", "Linux", "Metrics", "SensorKit", "Sensors",
        "Troubleshooting", "Wire",
      ],
      linkerSettings: whollyStatic),

    tests("CommandTableTests", ["CommandTable", "generate-pages"]),
    tests(
      "CyclometerClientTests",
      [
        "CyclometerClient", "CyclometerClientAsync", "CyclometerSamples", "Linux", "TestSupport", "Wire",
        "cyclometerd", "watch-heart-rate", "watch-heart-rate-async",
      ]),
    tests(
      "CycloTests",
      ["Linux", "SensorKit", "TestSupport", "Troubleshooting", "Wire", "cyclo", "cyclometerd"]),
    tests(
      "CyclometerdTests",
      [
        "CSystemCallTracer", "DaemonCore", "DBus", "EventLoop", "Linux", "Simulation", "TestSupport", "Wire", "cyclo",
        "cyclometerd",
      ]),
    tests("WireTests", ["SensorKit", "Wire"]),
    tests(
      "MetricsTests",
      ["AllocationCounting", "CAllocationCounter", "Metrics", "SensorKit", "Sensors", "TestSupport"]),
    tests(
      "PositionTests",
      [
        "AllocationCounting", "CAllocationCounter", "CLinux", "EventLoop", "Linux", "Metrics", "Position",
        "PositionReports", "SensorKit", "TestSupport", "Wire", "cyclometerd",
      ]),
    tests("SensorKitTests", ["SensorKit"]),
    tests(
      "SensorsTests",
      [
        "AllocationCounting", "CAllocationCounter", "CaptureDecoding", "SensorKit", "Sensors", "Wire", "generate-pages",
      ],
      exclude: ["Vectors"]),
    .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
    .target(
      name: "AllocationCounting", dependencies: ["CAllocationCounter"], path: "Tests/AllocationCounting",
      swiftSettings: settings),
    .target(name: "CSystemCallTracer", path: "Tests/CSystemCallTracer"),
  ]
)

// `CYCLOMETER_TESTS=MetricsTests,SensorsTests` omits all other suites, so that a small change is
// built and tested in seconds.
if let wanted = Context.environment["CYCLOMETER_TESTS"] {
  let names = wanted.split(separator: ",").map(String.init)
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
