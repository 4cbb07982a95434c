// swift-tools-version: 6.2
// The benchmarks of Cyclometer, in a separate package so that normal builds do not include them.
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "cyclometer", path: "..")],
  targets: [
    .target(name: "CSender"),
    .executableTarget(
      name: "FakeRadio",
      dependencies: [
        "CSender",
        .product(name: "DBus", package: "cyclometer"),
        .product(name: "EventLoop", package: "cyclometer"),
        .product(name: "Linux", package: "cyclometer"),
        .product(name: "TestSupport", package: "cyclometer"),
        .product(name: "Time", package: "cyclometer"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "DecodeBenchmark",
      dependencies: [
        .product(name: "CAllocationCounter", package: "cyclometer"),
        .product(name: "CaptureFormat", package: "cyclometer"),
        .product(name: "DeclaredSensors", package: "cyclometer"),
        .product(name: "Linux", package: "cyclometer"),
        .product(name: "SensorKit", package: "cyclometer"),
        .product(name: "SampleLines", package: "cyclometer"),
        .product(name: "Sensors", package: "cyclometer"),
        .product(name: "Wire", package: "cyclometer"),
      ],
      swiftSettings: settings),
  ]
)
