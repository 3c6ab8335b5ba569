// swift-tools-version: 6.2
import PackageDescription

// One settings constant for every Swift target.
// CI adds `-warnings-as-errors` on the command line, so that a new compiler's warning never breaks a user's build.
let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

// Targets stand in the order of the frame path: a frame travels down this list, a command travels up.
let package = Package(
  name: "firstlight",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["YAML"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(name: "CaptureCore", swiftSettings: swiftSettings),
    .target(name: "CV4L2", linkerSettings: [.linkedLibrary("v4lconvert")]),
    .target(name: "V4L2Capture", dependencies: ["CaptureCore", "CV4L2", log], swiftSettings: swiftSettings),
    .testTarget(
      name: "V4L2CaptureTests", dependencies: ["CaptureCore", "CV4L2", "V4L2Capture", log],
      swiftSettings: swiftSettings),
    .target(name: "GoogleRPC", dependencies: [protobuf], swiftSettings: swiftSettings),
    .target(name: "FirstlightAPI", dependencies: ["GoogleRPC", protobuf], swiftSettings: swiftSettings),
  ]
)
