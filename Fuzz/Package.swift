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
    .systemLibrary(name: "CInih", path: "Project/CInih", pkgConfig: "inih"),
    .systemLibrary(name: "CExpat", path: "Project/CExpat", pkgConfig: "expat"),
    .systemLibrary(name: "CSQLite", path: "Project/CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CMath", path: "Project/CMath"),
    .systemLibrary(name: "CMessageDigest", path: "Project/CMessageDigest", pkgConfig: "libmd"),
    .systemLibrary(name: "CZlib", path: "Project/CZlib", pkgConfig: "zlib"),
    project("Linux", ["CLinux", "Time"]),
    project("EventLoop", ["Linux", "Time"]),
    project("IniFile", ["CInih", "Text"]),
    project("ProgramKit", ["EventLoop", "IniFile", "JSON", "Linux", "Text", "Time"]),
    project("Time", linked: ["m"]),
    project("Text"),
    project("JSON", linked: ["m"]),
    project("HTTP", ["JSON"]),
    project("Digests", ["CMessageDigest", "JSON"]),
    project("Compression", ["CZlib"]),
    project("Expat", ["CExpat"]),
    project("Earth", ["CMath"]),
    project("Segments", ["Earth"]),
    project("Training", ["CMath"]),
    project("ActivityFiles", ["CMath", "Earth", "Expat", "JSON", "Text", "Time"]),
    project("Vocabulary", ["JSON"]),
    project("CaptureFormat", ["JSON", "Time", "Vocabulary"]),
    project("Wire", ["CaptureFormat", "JSON", "Text", "Time", "Vocabulary"]),
    project("Fleet", ["Compression", "Digests", "JSON", "Time", "Wire"]),
    project("SensorKit", ["JSON", "Time", "Vocabulary"]),
    project("Sensors", ["SensorKit"]),
    project("DeclaredSensors", ["CMath", "IniFile", "JSON", "SensorKit", "Text"]),
    project("SensorFolders", ["DeclaredSensors", "Linux", "SensorKit"]),
    project("SensorProcesses", ["DeclaredSensors", "JSON", "SensorKit", "Time", "Vocabulary", "Wire"]),
    project("SampleLines", ["JSON", "SensorKit", "Time", "Vocabulary", "Wire"]),
    project("Metrics", ["CMath", "JSON", "SensorKit", "Time", "Vocabulary"]),
    project("PositionReports", ["CaptureFormat", "JSON", "Metrics", "Time"]),
    project("Position", ["EventLoop", "JSON", "Linux", "Metrics", "PositionReports", "Time"]),
    project(
      "CaptureDecoding",
      [
        "CaptureFormat", "JSON", "Metrics", "PositionReports", "SampleLines", "SensorKit", "Time", "Vocabulary",
      ]),
    project("Radio", ["CaptureFormat", "Vocabulary", "Wire"]),
    project(
      "Serving",
      ["EventLoop", "JSON", "Linux", "ProgramKit", "SampleLines", "SensorKit", "Time", "Vocabulary", "Wire"]),
    project(
      "Ride",
      [
        "EventLoop", "JSON", "Linux", "Metrics", "ProgramKit", "SensorKit", "Serving", "Text", "Time", "Vocabulary",
        "Wire",
      ]),
    project(
      "Connections", ["EventLoop", "JSON", "Linux", "ProgramKit", "Radio", "Time", "Vocabulary", "Wire"]),
    project(
      "Sensing",
      [
        "CaptureFormat", "EventLoop", "JSON", "ProgramKit", "Radio", "SensorKit", "Time", "Vocabulary", "Wire",
      ]),
    project(
      "DaemonCore",
      [
        "CaptureFormat", "Connections", "DeclaredSensors", "EventLoop", "JSON", "Linux", "Metrics", "Position",
        "PositionReports", "ProgramKit", "Radio", "Ride", "Sensing", "SensorFolders", "SensorKit", "SensorProcesses",
        "Serving", "Text", "Time", "Vocabulary", "Wire",
      ]),
    project(
      "Simulation",
      ["CaptureFormat", "EventLoop", "Linux", "Radio", "SensorKit", "Time", "Vocabulary", "Wire"]),
    project("LogbookWire", ["JSON", "Time", "Wire"]),
    project("SQLite", ["CSQLite"]),
    project(
      "Logbook",
      [
        "ActivityFiles", "Earth", "JSON", "Linux", "LogbookWire", "Metrics", "Segments", "SQLite", "Time", "Training",
        "Vocabulary", "Wire",
      ]),
    project("Recording", ["JSON", "Linux", "Logbook", "LogbookWire", "SQLite", "Time", "Wire"]),
    project(
      "LogbookFiles",
      ["ActivityFiles", "Earth", "JSON", "Linux", "Logbook", "LogbookWire", "SQLite", "Time", "Wire"]),
    project("CyclometerClient", ["JSON", "Linux", "LogbookWire", "Time", "Wire"]),
    project("CyclometerClientLoop", ["CyclometerClient", "EventLoop", "JSON", "Linux", "LogbookWire", "Time", "Wire"]),
    project(
      "RecorderCore",
      [
        "CyclometerClient", "CyclometerClientLoop", "EventLoop", "JSON", "Linux", "Logbook", "LogbookFiles",
        "LogbookWire", "ProgramKit", "Recording", "Serving", "SQLite", "Time", "Wire",
      ]),

    // What every fuzz target needs, the decoders' script, the targets.
    library("Fuzzing", ["EventLoop", "JSON", "Linux", "SampleLines", "SensorKit", "Time"]),
    library("DecoderScript", ["SensorKit", "Vocabulary"]),
    program(
      "FuzzDecoders", ["DecoderScript", "Fuzzing", "JSON", "SampleLines", "SensorKit", "Sensors", "Time"]),
    program(
      "FuzzDeclared",
      ["CaptureDecoding", "CaptureFormat", "DeclaredSensors", "Fuzzing", "SensorKit", "Time"]),
    program("FuzzProcesses", ["DeclaredSensors", "Fuzzing", "JSON", "SensorKit", "SensorProcesses", "Time"]),
    program("FuzzFIT", ["ActivityFiles", "Fuzzing"]),
    program("FuzzHTTP", ["Fuzzing", "HTTP"]),
    program("FuzzFleet", ["Fleet", "Fuzzing", "JSON", "Time", "Wire"]),
    program("FuzzCaptures", ["CaptureDecoding", "CaptureFormat", "Fuzzing", "JSON", "Sensors"]),
    program(
      "FuzzControl", ["DaemonCore", "EventLoop", "Fuzzing", "JSON", "Linux", "ProgramKit", "Sensors", "Simulation"]),
    program(
      "FuzzLogbook",
      [
        "CyclometerClient", "EventLoop", "Fuzzing", "Linux", "Logbook", "LogbookWire", "ProgramKit", "RecorderCore",
        "Recording", "SQLite", "Time", "Wire",
      ]),
    program(
      "MakeSeeds",
      ["CaptureFormat", "DecoderScript", "JSON", "Linux", "SensorKit", "Sensors", "Time", "Vocabulary"]),
  ]
)
