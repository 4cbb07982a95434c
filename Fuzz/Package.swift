// swift-tools-version: 6.2
// Fuzzing with libFuzzer. This is a separate package, because its flags would break the tests of
// the other one. It compiles the project's sources (Project links to them) with coverage. Their
// targets and dependencies are those of ../Package.swift.
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A target of the project.
func project(_ name: String, _ dependencies: [Target.Dependency] = [], linked: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Project/\(name)", swiftSettings: settings,
    linkerSettings: linked.map { .linkedLibrary($0) })
}

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "cyclometer-fuzz",
  targets: [
    .systemLibrary(name: "CLinux", path: "Project/CLinux"),
    .systemLibrary(name: "CBluetooth", path: "Project/CBluetooth", pkgConfig: "bluez"),
    .systemLibrary(name: "CDBus", path: "Project/CDBus", pkgConfig: "dbus-1"),
    .systemLibrary(name: "CInih", path: "Project/CInih", pkgConfig: "inih"),
    .systemLibrary(name: "CMath", path: "Project/CMath"),
    project("Linux", ["CLinux"]),
    project("EventLoop", ["Linux"]),
    project("DBus", ["CDBus", "EventLoop", "Linux"]),
    project("BlueZ", ["CBluetooth", "DBus", "EventLoop", "Linux"]),
    project("SensorKit", linked: ["m"]),
    project("Sensors", ["SensorKit"]),
    project("Wire", ["SensorKit"]),
    project("Metrics", ["CMath", "SensorKit"]),
    project("PositionReports", ["Metrics", "SensorKit", "Wire"]),
    project("Position", ["EventLoop", "Linux", "Metrics", "PositionReports", "SensorKit", "Wire"]),
    project("CaptureDecoding", ["Metrics", "PositionReports", "SensorKit", "Wire"]),
    project(
      "DaemonCore",
      [
        "BlueZ", "CInih", "DBus", "EventLoop", "Linux", "Metrics", "Position", "PositionReports", "SensorKit",
        "Sensors",
        "Wire",
      ]),
    project("Simulation", ["DaemonCore", "EventLoop", "Linux", "SensorKit", "Sensors", "Wire"]),

    // What every fuzz target needs, the decoders' script, the targets.
    library("Fuzzing", ["Linux", "Wire"]),
    library("DecoderScript", ["SensorKit"]),
    program("FuzzDecoders", ["DecoderScript", "Fuzzing", "SensorKit", "Sensors", "Wire"]),
    program("FuzzCaptures", ["CaptureDecoding", "Fuzzing", "SensorKit", "Sensors", "Wire"]),
    program("FuzzControl", ["DaemonCore", "EventLoop", "Fuzzing", "Linux", "Simulation", "Wire"]),
    program("MakeSeeds", ["DecoderScript", "Linux", "SensorKit", "Sensors", "Wire"]),
  ]
)
