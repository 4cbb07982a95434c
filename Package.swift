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

/// A release build optimises what these test, but not the tests, which would take minutes. Add only
/// suites whose own code is not part of what `make test-optimised` measures.
let unoptimisedTests: Set = [
  "BlueZRadioTests", "CompressionTests", "DaemonCoreTests", "DeclaredSensorsTests", "MQTTTests", "PositionTests",
  "SensorsTests", "SpoolTests",
]

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  let flags: [SwiftSetting] =
    unoptimisedTests.contains(name) ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : []
  return .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings + flags)
}

let package = Package(
  name: "cyclometer",
  products: [
    .executable(name: "cyclometerd", targets: ["cyclometerd"]),
    .executable(name: "cyclo", targets: ["cyclo"]),
    .executable(name: "cyclometer-recorder", targets: ["cyclometer-recorder"]),
    .executable(name: "cyclometer-guide", targets: ["cyclometer-guide"]),
    .executable(name: "cyclometer-web", targets: ["cyclometer-web"]),
    .executable(name: "cyclometer-mqtt", targets: ["cyclometer-mqtt"]),
    // Wire has the values that records consist of.
    .library(name: "CyclometerClient", targets: ["CyclometerClient", "CyclometerSamples", "Wire"]),
    .library(name: "CyclometerClientAsync", targets: ["CyclometerClientAsync", "CyclometerClient", "Wire"]),
    // JSON has the values that records consist of.
    .library(name: "CyclometerPlugin", targets: ["CyclometerPlugin", "JSON"]),
    // Used by the nested package Benchmarks.
    .library(name: "DBus", targets: ["DBus"]),
    .library(name: "EventLoop", targets: ["EventLoop"]),
    .library(name: "Linux", targets: ["Linux"]),
    .library(name: "TestSupport", targets: ["TestSupport"]),
    .library(name: "CaptureFormat", targets: ["CaptureFormat"]),
    .library(name: "SampleLines", targets: ["SampleLines"]),
    .library(name: "DeclaredSensors", targets: ["DeclaredSensors"]),
    .library(name: "SensorKit", targets: ["SensorKit"]),
    .library(name: "Sensors", targets: ["Sensors"]),
    .library(name: "Time", targets: ["Time"]),
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
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CMessageDigest", pkgConfig: "libmd", providers: [.apt(["libmd-dev"])]),
    .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // The foundation.
    library("Linux", ["CLinux", "Time"]),
    // Sections and keys of a text, over libinih.
    library("IniFile", ["CInih", "Text"]),
    library("EventLoop", ["Linux", "Time"]),
    // What every service needs: log, configuration, state files, supervision.
    library("ProgramKit", ["EventLoop", "IniFile", "JSON", "Linux", "Text", "Time"]),
    library("DBus", ["CDBus", "EventLoop", "Linux", "Time"]),
    library("BlueZ", ["CBluetooth", "DBus", "EventLoop", "Linux", "Time"]),

    // One connection to a broker, over libmosquitto.
    library("MQTT", ["CMosquitto", "EventLoop", "Linux", "Text", "Time"]),

    // Words and formats. Pure: no clock, no descriptor.
    // Rounding is in libm, which no import brings.
    library("Time", linked: ["m"]),
    library("Text"),
    library("JSON", linked: ["m"]),
    library("HTTP", ["JSON"]),
    library("Digests", ["CMessageDigest", "JSON"]),
    library("QRCodes", ["CQRCode"]),
    library("Compression", ["CZlib"]),
    library("Vocabulary", ["JSON"]),
    // The fields of every kind with unit and meaning. Apart from the vocabulary, because these texts
    // would make the programs, which do not show them, a hundredth larger.
    library("SampleCatalogue"),
    library("CaptureFormat", ["JSON", "Time", "Vocabulary"]),
    library("Wire", ["CaptureFormat", "JSON", "Text", "Time", "Vocabulary"]),
    // Requests and records of logbook.sock. Apart from Wire, because the daemon does not need them.
    library("LogbookWire", ["JSON", "Time", "Wire"]),
    // Requests and replies of guide.sock.
    library("GuideWire", ["JSON", "LogbookWire", "Wire"]),
    // Home Assistant's discovery messages of sensors. Pure.
    library("HomeAssistant", ["JSON", "Wire"]),
    // The bridge to a broker: topics and payloads. Pure: lines, messages and times in and out.
    library("Fleet", ["Compression", "Digests", "JSON", "Time", "Wire"]),
    // Batches of the bridge that wait on the disk.
    library("Spool", ["Compression", "Fleet", "JSON", "Linux", "Time"]),
    // Requests and replies of mqtt.sock.
    library("FleetWire", ["JSON", "LogbookWire", "Time", "Wire"]),
    // What both programs know without a library of BlueZ.
    library("BlueZReleases"),
    library("Release"),

    // Places on the earth, and lines that riders follow. Pure.
    library("Earth", ["CMath"]),
    library("Segments", ["Earth"]),
    library("Guidance", ["CMath", "Earth", "Time"]),
    // What activities amount to: fitness, fatigue, streaks. Pure.
    library("Training", ["CMath"]),

    // Decoding and derived numbers. Pure: no clock, no descriptor, no BlueZ.
    library("SensorKit", ["JSON", "Time", "Vocabulary"]),
    library("Sensors", ["SensorKit"]),
    // Sensors that a file declares: from its text to a checked program, and the plugin that runs it.
    library("DeclaredSensors", ["CMath", "IniFile", "JSON", "SensorKit", "Text"]),
    // The folders of those files.
    library("SensorFolders", ["DeclaredSensors", "Linux", "SensorKit"]),
    // The protocol of plugin.sock, and one conversation with the program of a sensor.
    library("SensorProcesses", ["DeclaredSensors", "JSON", "SensorKit", "Time", "Vocabulary", "Wire"]),
    library("SampleLines", ["JSON", "SensorKit", "Time", "Vocabulary", "Wire"]),
    library("Metrics", ["CMath", "JSON", "SensorKit", "Time", "Vocabulary"]),
    // Positions from gpsd: parsing its reports, and connecting to it.
    library("PositionReports", ["CaptureFormat", "JSON", "Metrics", "Time"]),
    library("Position", ["EventLoop", "JSON", "Linux", "Metrics", "PositionReports", "Time"]),
    library(
      "CaptureDecoding",
      ["CaptureFormat", "JSON", "Metrics", "PositionReports", "SampleLines", "SensorKit", "Time", "Vocabulary"]),

    // What the daemon needs from a radio, over BlueZ and simulated.
    library("Radio", ["CaptureFormat", "Vocabulary", "Wire"]),
    library(
      "BlueZRadio",
      [
        "BlueZ", "BlueZReleases", "DBus", "EventLoop", "Linux", "ProgramKit", "Radio", "Text", "Time", "Vocabulary",
        "Wire",
      ]),
    library(
      "Simulation",
      ["CaptureFormat", "EventLoop", "Linux", "Radio", "SensorKit", "Time", "Vocabulary", "Wire"]),

    // Sockets, their clients and what they subscribe to, for any service.
    library(
      "Serving",
      [
        "EventLoop", "JSON", "Linux", "ProgramKit", "SampleLines", "SensorKit", "Time", "Vocabulary", "Wire",
      ]),
    // A server of HTTP for any service. Nothing in it knows what is served.
    library("HTTPServing", ["EventLoop", "HTTP", "JSON", "Linux", "ProgramKit", "Time"]),
    // The ride as the daemon keeps it: what Metrics derives is published, and saved across restarts.
    library(
      "Ride",
      [
        "EventLoop", "JSON", "Linux", "Metrics", "ProgramKit", "SensorKit", "Serving", "Text", "Time", "Vocabulary",
        "Wire",
      ]),

    // One device kept connected; knows no plugin.
    library(
      "Connections",
      ["EventLoop", "JSON", "Linux", "ProgramKit", "Radio", "Time", "Vocabulary", "Wire"]),
    // Bytes to samples, facts and answers; knows no retry.
    library(
      "Sensing",
      [
        "CaptureFormat", "EventLoop", "JSON", "ProgramKit", "Radio", "SensorKit", "Time", "Vocabulary", "Wire",
      ]),

    // The logbook.
    library("SQLite", ["CSQLite"]),
    library(
      "Logbook",
      [
        "ActivityFiles", "Earth", "JSON", "Linux", "LogbookWire", "Metrics", "Segments", "SQLite", "Time", "Training",
        "Vocabulary", "Wire",
      ]),
    // From samples to commits. Without a loop: time is a parameter.
    library("Recording", ["JSON", "Linux", "Logbook", "LogbookWire", "SQLite", "Time", "Wire"]),
    // XML in pieces, over libexpat.
    library("Expat", ["CExpat"]),
    // Files of activities: FIT and others. Pure: bytes and items in, bytes and items out.
    library("ActivityFiles", ["CMath", "Earth", "Expat", "JSON", "Text", "Time"]),
    // Exports, imports and backups of the logbook, in slices.
    library(
      "LogbookFiles", ["ActivityFiles", "Earth", "JSON", "Linux", "Logbook", "LogbookWire", "SQLite", "Time", "Wire"]),

    // Files of map tiles, read with distrust.
    library("TileSets", ["SQLite", "Text"]),

    // The dashboard's server: who may do what, what a page receives, and what pages store.
    library(
      "WebAccess", ["Digests", "HTTP", "JSON", "Linux", "ProgramKit", "Text", "Time", "Wire"]),
    // Pure: lines and times in, messages out.
    library("WebFrames", ["HTTP", "JSON", "Time"]),
    library("WebDocuments", ["Digests", "HTTP", "JSON", "Linux", "ProgramKit"]),
    // The logbook for pages, over logbook.sock.
    library(
      "WebLogbook",
      [
        "CyclometerClient", "CyclometerClientLoop", "EventLoop", "HTTP", "HTTPServing", "JSON", "LogbookWire", "Time",
        "WebAccess", "Wire",
      ]),
    // The server itself. Apart from its program, so that tests link all of it.
    library(
      "Dashboard",
      [
        "CyclometerClient", "CyclometerClientLoop", "Digests", "EventLoop", "FleetWire", "GuideWire", "HTTP",
        "HTTPServing", "JSON", "Linux", "LogbookWire", "ProgramKit", "QRCodes", "Serving", "TileSets", "Time",
        "WebAccess", "WebDocuments", "WebFrames", "WebLogbook", "Wire",
      ]),
    program(
      "cyclometer-web",
      ["CommandTable", "CyclometerClient", "Dashboard", "EventLoop", "Linux", "ProgramKit", "Release", "Text"]),

    // The bridge to an MQTT broker. Apart from its program, so that tests link all of it.
    library(
      "BridgeCore",
      [
        "CyclometerClient", "CyclometerClientLoop", "EventLoop", "Fleet", "FleetWire", "HomeAssistant", "JSON",
        "Linux", "MQTT", "ProgramKit", "Serving", "Spool", "Time", "Wire",
      ]),
    program(
      "cyclometer-mqtt",
      ["BridgeCore", "CommandTable", "CyclometerClient", "EventLoop", "Linux", "ProgramKit", "Release", "Text"]),

    // The daemon.
    library(
      "DaemonCore",
      [
        "CaptureFormat", "Connections", "DeclaredSensors", "EventLoop", "JSON", "Linux", "Metrics", "Position",
        "PositionReports", "ProgramKit", "Radio", "Ride", "Sensing", "SensorFolders", "SensorKit", "SensorProcesses",
        "Serving", "Text", "Time", "Vocabulary", "Wire",
      ]),

    // Support for tests: a private bus, virtual time, a scripted BlueZ.
    .target(
      name: "TestSupport", dependencies: ["DBus", "EventLoop", "Linux", "Time"], path: "Tests/TestSupport",
      swiftSettings: settings),
    tests("LinuxTests", ["CLinux", "Linux", "TestSupport", "Time"]),
    tests("EventLoopTests", ["EventLoop", "Linux", "TestSupport", "Time"]),
    tests("DBusTests", ["DBus", "EventLoop", "Linux", "TestSupport", "Time"]),
    tests(
      "BlueZRadioTests",
      [
        "AllocationCounting", "BlueZ", "BlueZRadio", "CAllocationCounter", "Connections", "DaemonCore", "DBus",
        "EventLoop",
        "Linux",
        "ProgramKit", "Radio", "Sensors", "TestSupport", "Time", "Vocabulary", "Wire",
      ]),
    tests("BlueZTests", ["BlueZ", "BlueZReleases", "DBus", "EventLoop", "Linux", "TestSupport"]),
    tests("TestSupportTests", ["DBus", "EventLoop", "Linux", "TestSupport", "Time"]),

    tests(
      "CyclometerMQTTTests",
      [
        "BridgeCore", "cyclo", "cyclometer-mqtt", "cyclometer-web", "cyclometerd", "CyclometerClient", "EventLoop",
        "Fleet", "FleetWire", "JSON", "Linux", "MQTT", "ProgramKit", "SensorKit", "Serving", "TestSupport", "Time",
        "Vocabulary", "Wire",
      ]),

    tests(
      "DaemonCoreTests",
      [
        "AllocationCounting", "CAllocationCounter", "Connections", "DaemonCore", "EventLoop", "JSON", "Linux",
        "Metrics", "Position", "ProgramKit", "Radio", "Ride", "Sensing", "SensorFolders", "SensorKit", "Sensors",
        "Serving",
        "TestSupport", "Time",
        "Vocabulary", "Wire",
      ]),

    tests("ServingTests", ["EventLoop", "JSON", "Linux", "ProgramKit", "Serving", "TestSupport", "Time", "Wire"]),
    tests(
      "HTTPServingTests",
      [
        "AllocationCounting", "CAllocationCounter", "CLinux", "EventLoop", "HTTP", "HTTPServing", "Linux",
        "ProgramKit", "RequestRows", "TestSupport", "Time",
      ]),
    tests("ConnectionsTests", ["Connections", "generate-pages", "Linux", "Radio", "Time", "Wire"]),

    // Days of riding in virtual time, with failures of all kinds.
    program(
      "soak",
      [
        "BlueZRadio", "DaemonCore", "DBus", "EventLoop", "JSON", "Linux", "ProgramKit", "Sensors", "TestSupport",
        "Time",
      ],
      path: "Tests/Soak"),
    tests("SoakTests", ["DBus", "EventLoop", "Linux", "soak", "TestSupport", "Vocabulary"]),

    // Prints the pages of docs and man that are generated from the sources.
    program(
      "generate-pages",
      [
        "BlueZRadio", "CaptureDecoding", "CaptureFormat", "CommandTable", "Connections", "CycloCommands",
        "DeclaredSensors", "JSON", "Radio", "SampleCatalogue", "SensorKit", "Sensors", "Troubleshooting", "Vocabulary",
        "Wire",
      ],
      path: "Tests/Pages"),

    // Fills a logbook for `make run LOGBOOK=demo`.
    program(
      "make-demo-logbook",
      ["ActivityFiles", "CMath", "Earth", "Linux", "Logbook", "LogbookFiles", "LogbookWire", "SQLite", "Time", "Wire"],
      path: "Tests/DemoLogbook"),

    // Programs and client libraries.
    library("CommandTable"),
    // The command line of cyclo, for the program and for its manual page.
    library("CycloCommands", ["CommandTable", "Release", "Vocabulary"]),
    // Everything that `cyclo doctor` can find, for doctor and for docs/troubleshooting.md.
    library("Troubleshooting"),
    library("CyclometerClient", ["JSON", "Linux", "LogbookWire", "Time", "Wire"]),
    // Separate, because it needs the event loop.
    library(
      "CyclometerClientLoop", ["CyclometerClient", "EventLoop", "JSON", "Linux", "LogbookWire", "Time", "Wire"]),
    library("CyclometerSamples", ["Wire"]),
    // Separate, because it needs the concurrency runtime.
    library("CyclometerClientAsync", ["CyclometerClient", "JSON", "Linux", "Time"]),
    // For programs that decode sensors of their own, over plugin.sock.
    library("CyclometerPlugin", ["JSON", "Linux", "Time"]),
    program("decode-bottle", ["CyclometerPlugin", "JSON"], path: "clients/swift/DecodeBottle"),
    program(
      "watch-heart-rate", ["CyclometerClient", "CyclometerSamples", "Wire"], path: "clients/swift/WatchHeartRate"),
    program(
      "watch-heart-rate-async", ["CyclometerClient", "CyclometerClientAsync", "Wire"],
      path: "clients/swift/WatchHeartRateAsync"),
    program(
      "cyclometerd",
      [
        "BlueZRadio", "CaptureFormat", "CommandTable", "DaemonCore", "DBus", "EventLoop", "Linux", "ProgramKit",
        "Radio", "Release", "SensorFolders", "SensorKit", "Sensors", "Simulation", "Text",
      ]),
    program(
      "cyclo",
      [
        "BlueZReleases", "CaptureDecoding", "CaptureFormat", "CommandTable", "CycloCommands", "CyclometerClient",
        "CyclometerSamples", "DeclaredSensors", "Earth", "FleetWire", "GuideWire", "JSON", "Linux", "LogbookWire",
        "Metrics",
        "Release",
        "SampleLines", "SensorFolders", "SensorKit", "SensorProcesses", "Sensors", "Text", "Time",
        "Troubleshooting", "Vocabulary", "Wire",
      ],
      linkerSettings: whollyStatic),

    // The recorder. Apart from its program, so that tests link all of it.
    library(
      "RecorderCore",
      [
        "CyclometerClient", "CyclometerClientLoop", "EventLoop", "JSON", "Linux", "Logbook", "LogbookFiles",
        "LogbookWire", "ProgramKit", "Recording", "Serving", "SQLite", "Time", "Wire",
      ]),
    program(
      "cyclometer-recorder",
      ["CommandTable", "CyclometerClient", "EventLoop", "Linux", "ProgramKit", "RecorderCore", "Release", "Text"]),

    // The guide. Apart from its program, so that tests link all of it.
    library(
      "GuideCore",
      [
        "CyclometerClient", "CyclometerClientLoop", "Earth", "EventLoop", "Guidance", "GuideWire", "JSON", "Linux",
        "LogbookWire", "ProgramKit", "Segments", "SensorKit", "Serving", "Time", "Vocabulary", "Wire",
      ]),
    program(
      "cyclometer-guide",
      ["CommandTable", "CyclometerClient", "EventLoop", "GuideCore", "Linux", "ProgramKit", "Release", "Text"]),

    tests(
      "RecorderCoreTests",
      [
        "EventLoop", "JSON", "Linux", "Logbook", "LogbookWire", "ProgramKit", "RecorderCore", "Serving", "SQLite",
        "TestSupport", "Time", "Wire",
      ]),
    tests(
      "CyclometerRecorderTests",
      [
        "ActivityVectors", "cyclo", "cyclometer-recorder", "CyclometerClient", "cyclometerd", "EventLoop", "JSON",
        "Linux",
        "Logbook", "LogbookWire", "ProgramKit", "RecorderCore", "Recording", "SQLite", "TestSupport", "Time", "Wire",
      ]),

    tests(
      "CyclometerGuideTests",
      [
        "cyclo", "cyclometer-guide", "cyclometer-recorder", "cyclometerd", "CyclometerClient", "Earth", "EventLoop",
        "GuideCore", "GuideWire", "Guidance", "JSON", "Linux", "LogbookWire", "ProgramKit", "Segments", "SensorKit",
        "Serving", "TestSupport", "Time", "Vocabulary", "Wire",
      ]),

    tests("CommandTableTests", ["CommandTable", "CycloCommands", "cyclometerd", "generate-pages", "Release", "Text"]),
    tests(
      "CyclometerClientTests",
      [
        "CyclometerClient", "CyclometerClientAsync", "CyclometerClientLoop", "cyclometerd", "CyclometerSamples",
        "EventLoop", "JSON", "Linux", "TestSupport", "Time", "watch-heart-rate", "watch-heart-rate-async", "Wire",
      ]),
    tests("CyclometerPluginTests", ["CyclometerPlugin", "JSON"]),
    tests(
      "CycloTests",
      [
        "cyclo", "CycloCommands", "cyclometer-web", "CyclometerClient", "cyclometerd", "Expat", "FleetWire",
        "GuideWire", "JSON", "Linux", "LogbookWire", "SampleLines", "SensorKit", "Sensors", "SQLite", "TestSupport",
        "Text", "Time", "Troubleshooting", "Vocabulary", "Wire",
      ]),
    tests(
      "CyclometerdTests",
      [
        "CSystemCallTracer", "cyclo", "cyclometerd", "DaemonCore", "DBus", "EventLoop", "JSON", "Linux", "Simulation",
        "TestSupport", "Time", "Wire",
      ]),
    .target(name: "RequestRows", path: "Tests/RequestRows", swiftSettings: settings),
    tests("HTTPTests", ["HTTP", "RequestRows"]),
    tests("DigestsTests", ["Digests"]),
    tests("QRCodesTests", ["QRCodes"]),
    tests(
      "FleetTests",
      ["AllocationCounting", "CAllocationCounter", "CZlib", "Fleet", "JSON", "TestSupport", "Time", "Wire"]),
    tests(
      "SpoolTests",
      ["AllocationCounting", "CAllocationCounter", "Fleet", "JSON", "Linux", "Spool", "TestSupport", "Time", "Wire"]),
    tests("CompressionTests", ["AllocationCounting", "CAllocationCounter", "Compression", "CZlib", "TestSupport"]),
    tests(
      "WebAccessTests", ["Digests", "HTTP", "JSON", "Linux", "ProgramKit", "TestSupport", "Time", "WebAccess"]),
    tests("WebFramesTests", ["AllocationCounting", "CAllocationCounter", "HTTP", "JSON", "Time", "WebFrames"]),
    tests("WebDocumentsTests", ["HTTP", "JSON", "Linux", "ProgramKit", "TestSupport", "WebDocuments"]),
    tests(
      "WebLogbookTests",
      [
        "CyclometerClient", "EventLoop", "HTTP", "HTTPServing", "JSON", "Linux", "ProgramKit", "RecorderCore",
        "TestSupport", "Time", "WebAccess", "WebLogbook",
      ]),
    tests(
      "DashboardTests",
      [
        "AllocationCounting", "CAllocationCounter", "cyclometer-web", "CyclometerClient", "Dashboard", "EventLoop",
        "GuideCore", "GuideWire", "HTTP", "JSON", "Linux", "ProgramKit", "RecorderCore", "Serving", "SQLite",
        "TestSupport", "Time", "WebAccess",
        "Wire",
      ]),
    tests("TileSetsTests", ["Linux", "SQLite", "TestSupport", "TileSets"]),
    tests("JSONTests", ["JSON", "TestSupport"]),
    tests("TextTests", ["Text"]),
    tests("ExpatTests", ["Expat"]),
    tests(
      "LogbookTests",
      [
        "ActivityFiles", "Earth", "JSON", "Linux", "Logbook", "LogbookWire", "Metrics", "Segments", "SQLite",
        "TestSupport", "Time",
        "Wire",
      ]),
    tests(
      "LogbookFilesTests",
      [
        "ActivityFiles", "ActivityVectors", "JSON", "Linux", "Logbook", "LogbookFiles", "LogbookWire",
        "make-demo-logbook", "SQLite", "TestSupport", "Time", "Wire",
      ]),
    tests(
      "RecordingTests",
      [
        "AllocationCounting", "CAllocationCounter", "JSON", "Linux", "Logbook", "LogbookWire", "Recording", "SQLite",
        "TestSupport", "Time", "Wire",
      ]),
    tests("SQLiteTests", ["Linux", "SQLite", "TestSupport"]),
    tests(
      "MQTTTests",
      ["AllocationCounting", "CAllocationCounter", "CMosquitto", "EventLoop", "Linux", "MQTT", "TestSupport", "Time"]),
    // Converts files of activities, for tests with other decoders.
    program("convert-activity", ["ActivityFiles", "Linux"], path: "Tests/ActivityDecoders/Convert"),
    tests(
      "GuidanceTests", ["AllocationCounting", "CAllocationCounter", "Earth", "Guidance", "Segments", "Time"]),
    // Rides along simulated routes, for Tests/Guidance/run.
    program("follow-rides", ["Earth", "Guidance", "Time"], path: "Tests/Guidance/Follow"),
    // Rides past and along segments, for Tests/Guidance/run-segments.
    program("find-passages", ["Earth", "Segments"], path: "Tests/Guidance/Passages"),
    tests("HomeAssistantTests", ["HomeAssistant", "JSON", "SampleCatalogue", "Wire"]),
    // Prints discovery messages for Tests/HomeAssistant/run, where Home Assistant reads them.
    program("print-discovery", ["HomeAssistant", "JSON", "Wire"], path: "Tests/HomeAssistant/Messages"),
    .target(
      name: "ActivityVectors", dependencies: ["ActivityFiles", "Earth", "JSON", "Time"], path: "Tests/ActivityVectors",
      swiftSettings: settings),
    tests(
      "ActivityFilesTests", ["ActivityFiles", "ActivityVectors", "convert-activity", "Earth", "JSON", "Time"],
      exclude: ["Vectors"]),
    tests("IniFileTests", ["IniFile"]),
    tests(
      "DeclaredSensorsTests",
      [
        "AllocationCounting", "CAllocationCounter", "CaptureDecoding", "CaptureFormat", "DeclaredSensors", "JSON",
        "SampleCatalogue", "SampleLines", "SensorKit", "Sensors", "Time", "Vocabulary",
      ],
      exclude: ["Captures", "Encoders", "Files", "Vectors"]),
    tests("SensorFoldersTests", ["DeclaredSensors", "Linux", "SensorFolders", "SensorKit", "Sensors", "TestSupport"]),
    tests(
      "SensorProcessesTests",
      [
        "AllocationCounting", "CAllocationCounter", "DeclaredSensors", "JSON", "SampleLines", "SensorKit",
        "SensorProcesses", "TestSupport", "Time", "Vocabulary", "Wire",
      ],
      exclude: ["Files", "Vectors"]),
    tests("ProgramKitTests", ["JSON", "Linux", "ProgramKit", "TestSupport", "Time"]),
    tests("TrainingTests", ["Training"]),
    tests("VocabularyTests", ["Vocabulary"]),
    tests("CaptureFormatTests", ["CaptureFormat", "TestSupport", "Time", "Vocabulary"]),
    tests("WireTests", ["CaptureFormat", "JSON", "SampleLines", "SensorKit", "Time", "Vocabulary", "Wire"]),
    tests("LogbookWireTests", ["JSON", "LogbookWire", "Time", "Wire"]),
    tests(
      "MetricsTests",
      [
        "AllocationCounting", "CAllocationCounter", "JSON", "Metrics", "SensorKit", "Sensors", "TestSupport", "Time",
        "Vocabulary",
      ]),
    tests(
      "PositionTests",
      [
        "AllocationCounting", "CAllocationCounter", "CLinux", "cyclometerd", "EventLoop", "JSON", "Linux", "Metrics",
        "Position", "PositionReports", "TestSupport", "Time",
      ]),
    tests("SensorKitTests", ["SensorKit", "Time", "Vocabulary"]),
    tests(
      "SensorsTests",
      [
        "AllocationCounting", "CAllocationCounter", "CaptureDecoding", "CaptureFormat", "generate-pages", "JSON",
        "SampleLines", "SensorKit", "Sensors", "Time", "Vocabulary",
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
