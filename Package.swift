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
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let yaml: Target.Dependency = .product(name: "Yams", package: "Yams")
let nio: [Target.Dependency] = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let lifecycleTestKit: Target.Dependency = .product(
  name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")

// Never `pkgConfig: "grpc++"`: SwiftPM expands its Requires without removing duplicates, to megabytes of arguments.
// absl_synchronization is named because gRPC's headers inline it.
let grpcLibraries: [LinkerSetting] = ["grpc++", "grpc", "gpr", "absl_synchronization"].map { .linkedLibrary($0) }

// 114,000 relocations, packed, which gold cannot, and names that nothing looks up: 5 MB less are resident. Needs glibc
// 2.36 (Debian 12). lld comes with Swift.
let smallImage: LinkerSetting = .unsafeFlags(
  ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic"],
  .when(platforms: [.linux], configuration: .release))

// Targets stand in the order of the frame path: a frame travels down this list, a command travels up.
let package = Package(
  name: "firstlight",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["YAML"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(name: "CaptureCore", swiftSettings: swiftSettings),
    .target(name: "CMemory"),
    .target(name: "CLocalSocket"),
    .target(name: "CV4L2", linkerSettings: [.linkedLibrary("v4lconvert")]),
    .target(name: "V4L2Capture", dependencies: ["CaptureCore", "CV4L2", log], swiftSettings: swiftSettings),
    .target(name: "SyntheticCapture", dependencies: ["CaptureCore", log], swiftSettings: swiftSettings),
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(name: "CYUV", linkerSettings: [.linkedLibrary("yuv")]),
    .target(name: "CEXIF", linkerSettings: [.linkedLibrary("exif")]),
    .target(name: "CPNG", linkerSettings: [.linkedLibrary("png")]),
    .target(name: "CLibrary"),
    .target(name: "CHEIF", dependencies: ["CLibrary"]),
    .target(
      name: "Imaging", dependencies: ["CaptureCore", "CEXIF", "CHEIF", "CJPEG", "CPNG", "CYUV"],
      swiftSettings: swiftSettings),
    .target(name: "CVideoCoding", dependencies: ["CLibrary"]),
    .target(
      name: "VideoCoding", dependencies: ["CaptureCore", "CVideoCoding", "Imaging"], swiftSettings: swiftSettings),
    .target(name: "CaptureSession", dependencies: ["CaptureCore", log], swiftSettings: swiftSettings),
    .target(name: "CCairo", linkerSettings: [.linkedLibrary("cairo")]),
    .target(name: "Overlay", dependencies: ["CaptureCore", "CCairo", "CYUV", "Imaging"], swiftSettings: swiftSettings),
    .target(
      name: "Preview", dependencies: ["CaptureCore", "Imaging", "Overlay", "VideoCoding"], swiftSettings: swiftSettings),
    .target(
      name: "PhotoCapture", dependencies: ["CaptureCore", "Imaging", "PhotoFusion"], swiftSettings: swiftSettings),
    .target(name: "CPhotoFusion"),
    .target(
      name: "PhotoFusion", dependencies: ["CaptureCore", "CPhotoFusion", "Imaging"], swiftSettings: swiftSettings),
    .target(name: "SystemPressure", dependencies: ["CaptureCore", log], swiftSettings: swiftSettings),
    .target(name: "CLogind"),
    .target(name: "SystemSleep", dependencies: ["CLogind", "CaptureCore", log], swiftSettings: swiftSettings),
    .target(name: "LocalTransport", dependencies: ["CaptureCore", "CLocalSocket", log], swiftSettings: swiftSettings),
    .target(name: "MetricsTransport", dependencies: nio, swiftSettings: swiftSettings),
    .target(name: "CGRPC", linkerSettings: grpcLibraries),
    .target(name: "GoogleRPC", dependencies: [protobuf], swiftSettings: swiftSettings),
    .target(
      name: "GRPCTransport", dependencies: ["CGRPC", "GoogleRPC", protobuf, log, lifecycle],
      swiftSettings: swiftSettings),
    .target(name: "FirstlightAPI", dependencies: ["GoogleRPC", protobuf], swiftSettings: swiftSettings),
    .target(
      name: "FirstlightServices",
      dependencies: [
        "CaptureCore", "CaptureSession", "FirstlightAPI", "GoogleRPC", "GRPCTransport", "Imaging", "LocalTransport",
        "MetricsTransport", "Overlay", "PhotoCapture", "Preview", "SystemPressure", protobuf, log, lifecycle,
      ], swiftSettings: swiftSettings),
    .executableTarget(
      name: "firstlightd",
      dependencies: [
        "CMemory", "CaptureCore", "CaptureSession", "FirstlightAPI", "FirstlightServices", "GRPCTransport", "Imaging",
        "LocalTransport", "MetricsTransport", "PhotoCapture", "Preview", "SyntheticCapture", "SystemPressure",
        "SystemSleep", "V4L2Capture", lifecycle, log, arguments, configuration, yaml,
      ], swiftSettings: swiftSettings, linkerSettings: [smallImage]),
    .target(name: "CaptureTestKit", dependencies: ["CaptureCore"], swiftSettings: swiftSettings),
    .executableTarget(
      name: "fusion-bench", dependencies: ["CaptureCore", "Imaging", "PhotoFusion", "SyntheticCapture"],
      path: "Tests/Benchmarks/fusion/runner", swiftSettings: swiftSettings),
    .target(
      name: "CGRPCTestClient", dependencies: ["CGRPC"], path: "Tests/CGRPCTestClient",
      cxxSettings: [.headerSearchPath("../../Sources/CGRPC")], linkerSettings: grpcLibraries),

    .testTarget(
      name: "CaptureCoreTests",
      dependencies: ["CaptureCore", "CaptureTestKit"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "V4L2CaptureTests",
      dependencies: ["CaptureCore", "CaptureSession", "CaptureTestKit", "CV4L2", "V4L2Capture", log],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SyntheticCaptureTests",
      dependencies: ["CaptureCore", "CaptureTestKit", "Imaging", "SyntheticCapture"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "ImagingTests", dependencies: ["CaptureCore", "CaptureTestKit", "Imaging"], swiftSettings: swiftSettings),
    .testTarget(
      name: "CaptureSessionTests",
      dependencies: ["CaptureCore", "CaptureSession", "CaptureTestKit", log],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "OverlayTests", dependencies: ["CaptureCore", "Imaging", "Overlay"], swiftSettings: swiftSettings),
    .testTarget(
      name: "VideoCodingTests", dependencies: ["CaptureCore", "Imaging", "VideoCoding"], swiftSettings: swiftSettings),
    .testTarget(
      name: "PreviewTests",
      dependencies: ["CaptureCore", "CaptureTestKit", "Imaging", "Overlay", "Preview"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "PhotoCaptureTests",
      dependencies: ["CaptureCore", "CaptureTestKit", "Imaging", "PhotoCapture"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "PhotoFusionTests",
      dependencies: ["CaptureCore", "CaptureTestKit", "Imaging", "PhotoFusion", "SyntheticCapture"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SystemPressureTests", dependencies: ["CaptureCore", "CaptureTestKit", "SystemPressure", log],
      swiftSettings: swiftSettings),
    .testTarget(name: "SystemSleepTests", dependencies: ["SystemSleep"], swiftSettings: swiftSettings),
    .testTarget(
      name: "LocalTransportTests", dependencies: ["CaptureCore", "CLocalSocket", "LocalTransport", log],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MetricsTransportTests",
      dependencies: ["MetricsTransport", .product(name: "NIOEmbedded", package: "swift-nio")] + nio,
      swiftSettings: swiftSettings),
    .testTarget(
      name: "GRPCTransportTests",
      dependencies: [
        "CGRPC", "GRPCTransport", "GoogleRPC", "CGRPCTestClient", log, protobuf, lifecycle, lifecycleTestKit,
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "FirstlightServicesTests",
      dependencies: [
        "CaptureCore", "CaptureSession", "CaptureTestKit", "FirstlightAPI", "FirstlightServices", "GRPCTransport",
        "GoogleRPC", "Imaging", "MetricsTransport", "Overlay", "Preview", "SystemPressure", protobuf,
      ],
      swiftSettings: swiftSettings),
  ],
  cxxLanguageStandard: .cxx17
)
