// swift-tools-version: 6.2
// The package that users depend on. `make install-clients` puts it into one folder with the sources
// that it needs:
//   .package(path: "/usr/share/cyclometer/cyclometer-client")
//   .product(name: "CyclometerClient", package: "cyclometer-client")
// In the repository, these targets are part of the Package.swift at the top.
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .strictMemorySafety(), .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("ExistentialAny"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], linked: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, swiftSettings: settings,
    linkerSettings: linked.map { .linkedLibrary($0) })
}

let package = Package(
  name: "cyclometer-client",
  products: [
    .library(name: "CyclometerClient", targets: ["CyclometerClient", "CyclometerSamples", "Wire"]),
    .library(name: "CyclometerClientAsync", targets: ["CyclometerClientAsync", "CyclometerClient", "Wire"]),
    .library(name: "CyclometerPlugin", targets: ["CyclometerPlugin", "JSON"]),
  ],
  targets: [
    .systemLibrary(name: "CLinux"),
    library("Time", linked: ["m"]),
    library("Text"),
    library("JSON", linked: ["m"]),
    library("Linux", ["CLinux", "Time"]),
    library("Vocabulary", ["JSON"]),
    library("CaptureFormat", ["JSON", "Time", "Vocabulary"]),
    library("Wire", ["CaptureFormat", "JSON", "Text", "Time", "Vocabulary"]),
    library("LogbookWire", ["JSON", "Time", "Wire"]),
    library("CyclometerClient", ["JSON", "Linux", "LogbookWire", "Time", "Wire"]),
    library("CyclometerSamples", ["Wire"]),
    library("CyclometerPlugin", ["JSON", "Linux", "Time"]),
    library("CyclometerClientAsync", ["CyclometerClient", "JSON", "Linux", "Time"]),
  ]
)
