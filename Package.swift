// swift-tools-version: 6.2
import PackageDescription

// All Swift targets use these settings. CI adds `-warnings-as-errors` on the command line only, so that a new
// compiler's warning never breaks a user's build.
let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let yaml: Target.Dependency = .product(name: "Yams", package: "Yams")
let nio: [Target.Dependency] = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioHTTPTypes: [Target.Dependency] = ["NIOHTTPTypes", "NIOHTTPTypesHTTP1"].map {
  .product(name: $0, package: "swift-nio-extras")
}
let hummingbird: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let lifecycleTestKit: Target.Dependency = .product(
  name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")

// `pkgConfig: "grpc++"` is no option: SwiftPM expands its Requires without removing duplicates, to megabytes of
// arguments. The list names the parts of Abseil that gRPC's headers and CGRPC inline.
let grpcLibraries = ["grpc++", "grpc", "gpr", "absl_status", "absl_synchronization"]

// These flags make 5 MB less resident. They pack 114,000 relocations, which gold cannot do, and leave out names that no
// code looks up. They need glibc 2.36 (Debian 12). lld comes with Swift.
let smallImage: LinkerSetting = .unsafeFlags(
  ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic"],
  .when(platforms: [.linux], configuration: .release))

// With this variable, as the Makefile sets it, the address sanitizer watches the modules of the daemon in debug builds.
// `--sanitize=address` would have it watch the tests and other packages too, for a fifth of the time of the build.
let isWatched = Context.environment["FIRSTLIGHT_ADDRESS_SANITIZER"] != nil
let debugBuild = BuildSettingCondition.when(configuration: .debug)

/// A C module in `Sources/Bindings`.
///
/// - Parameter libraries: The libraries that the linker needs for the module.
func binding(_ name: String, _ dependencies: [Target.Dependency] = [], libraries: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/Bindings/\(name)",
    cSettings: isWatched ? [.unsafeFlags(["-fsanitize=address"], debugBuild)] : [],
    cxxSettings: isWatched ? [.unsafeFlags(["-fsanitize=address"], debugBuild)] : [],
    linkerSettings: libraries.map { .linkedLibrary($0) }
      + (isWatched ? [.unsafeFlags(["-sanitize=address"], debugBuild)] : []))
}

/// A Swift module in `Sources/<folder>`.
func module(_ name: String, in folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(folder)/\(name)",
    swiftSettings: swiftSettings + (isWatched ? [.unsafeFlags(["-sanitize=address"], debugBuild)] : []))
}

/// The tests of a module, in `Tests/<folder>/<name>Tests`.
func tests(of name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies + [.init(stringLiteral: name)],
    path: "Tests/\(folder)/\(name)Tests", swiftSettings: swiftSettings)
}

// A folder imports only from folders above it. Frames travel down this list, commands travel up.
let targets: [Target] = [
  binding("CALSA"),
  binding("CCairo", libraries: ["cairo"]),
  // The archive is linked, so that the daemon needs no further package where it runs.
  binding("CDirectIO", libraries: [":liburing.a"]),
  binding("CEXIF", libraries: ["exif"]),
  binding("CGRPC", libraries: grpcLibraries),
  binding("CHEIF", ["CLibrary"]),
  binding("CInterpolation"),
  binding("CJPEG", libraries: ["jpeg"]),
  binding("CLibrary"),
  binding("CLocalSocket"),
  binding("CLocking"),
  binding("CLogind"),
  binding("CMemory"),
  binding("CPhotoFusion"),
  binding("CPNG", libraries: ["png"]),
  binding("CTCP"),
  binding("CV4L2", libraries: ["v4lconvert"]),
  binding("CVideoCoding", ["CLibrary"]),
  binding("CWatchdog"),
  binding("CYUV", libraries: ["yuv"]),
  binding("CZlib", libraries: ["z"]),

  module("Locking", in: "Capture", ["CLocking"]),
  module("SystemClocks", in: "Capture", ["Locking"]),
  module("CaptureCore", in: "Capture", ["Locking", "SystemClocks"]),
  module("SystemFiles", in: "Capture", ["CaptureCore", "Locking"]),
  module("HotPlug", in: "Capture", ["CV4L2"]),
  module(
    "V4L2Capture", in: "Capture", ["CaptureCore", "CV4L2", "HotPlug", "Locking", "SystemClocks", "SystemFiles", log]),
  module(
    "AudioCapture", in: "Capture",
    ["CALSA", "CaptureCore", "CInterpolation", "HotPlug", "Locking", "SystemClocks", log]),
  module("SyntheticCapture", in: "Capture", ["CaptureCore", "Locking", "SystemClocks", log]),
  module("SystemPressure", in: "Capture", ["CaptureCore", "Locking", "SystemClocks", log]),
  module("SystemSleep", in: "Capture", ["CLogind", "CaptureCore", log]),
  module("SystemWatchdog", in: "Capture", ["CWatchdog", "CaptureCore", "Locking", log]),
  module("CaptureSessions", in: "Capture", ["CaptureCore", "Locking", "SystemClocks", log]),

  module("Imaging", in: "Imaging", ["CaptureCore", "CEXIF", "CHEIF", "CJPEG", "CPNG", "CYUV", "SystemClocks"]),
  module(
    "VideoCoding", in: "Imaging", ["CaptureCore", "CVideoCoding", "Imaging", "Locking", "SystemClocks", "SystemFiles"]),
  module("OverlayDrawing", in: "Imaging", ["CaptureCore", "CCairo", "CYUV", "Imaging", "Locking", "SystemClocks"]),
  module("PhotoFusion", in: "Imaging", ["CaptureCore", "CPhotoFusion", "Imaging"]),
  module(
    "FrameComposition", in: "Imaging", ["CaptureCore", "CYUV", "Imaging", "Locking", "SystemClocks", "VideoCoding"]),

  module(
    "FrameDelivery", in: "Delivery",
    ["CaptureCore", "Imaging", "Locking", "OverlayDrawing", "SystemClocks", "VideoCoding"]),
  module(
    "DelayedFeeds", in: "Delivery",
    ["CaptureCore", "FrameDelivery", "Imaging", "Locking", "SystemClocks", "SystemFiles", "VideoCoding"]),
  module(
    "MovieRecording", in: "Delivery",
    ["CaptureCore", "Imaging", "Locking", "SystemClocks", "SystemFiles", "VideoCoding", "VideoStorage", log]),
  module(
    "PhotoCapture", in: "Delivery",
    ["CaptureCore", "Imaging", "Locking", "PhotoFusion", "SystemClocks", "VideoCoding"]),
  module(
    "PhotoLibrary", in: "Delivery",
    ["CaptureCore", "Imaging", "Locking", "SystemClocks", "SystemFiles", grdb, log]),
  module("VideoStorage", in: "Delivery", ["CDirectIO", "CaptureCore", "Locking", "SystemFiles", log]),

  module("GoogleRPC", in: "Transports", [protobuf]),
  module("RPCCore", in: "Transports", ["GoogleRPC", "Locking", "SystemClocks", protobuf, log]),
  module("GRPCTransport", in: "Transports", ["CGRPC", "Locking", "RPCCore", "SystemClocks", protobuf, log, lifecycle]),
  module(
    "HTTPTransport", in: "Transports",
    [
      "CTCP", "CZlib", "GoogleRPC", "Locking", "RPCCore", "SystemClocks", hummingbird, httpTypes, lifecycle, log,
      protobuf,
    ] + nio
      + nioHTTPTypes),
  module("LocalTransport", in: "Transports", ["CaptureCore", "CLocalSocket", "Locking", log]),

  module("FirstlightAPI", in: "Services", ["GoogleRPC", "RPCCore", protobuf]),
  module(
    "FirstlightServices", in: "Services",
    [
      "CaptureCore", "CaptureSessions", "DelayedFeeds", "FirstlightAPI", "GoogleRPC", "HTTPTransport", "Imaging",
      "LocalTransport", "Locking", "MovieRecording", "OverlayDrawing", "PhotoCapture", "PhotoLibrary", "FrameDelivery",
      "RPCCore",
      "SystemClocks",
      "SystemPressure", "VideoCoding", "VideoStorage", protobuf, log, lifecycle,
    ]),

  // The files in `page` are embedded by `files.c`.
  .target(name: "ViewfinderPage", path: "Sources/Services/ViewfinderPage", exclude: ["page"]),

  .executableTarget(
    name: "firstlightd",
    dependencies: [
      "AudioCapture", "CMemory", "CaptureCore", "CaptureSessions", "DelayedFeeds", "FirstlightServices",
      "FrameComposition", "GRPCTransport",
      "HTTPTransport", "Imaging", "LocalTransport", "MovieRecording", "PhotoCapture", "PhotoLibrary", "FrameDelivery",
      "RPCCore", "SyntheticCapture", "SystemClocks", "SystemFiles", "SystemPressure", "SystemSleep", "SystemWatchdog",
      "V4L2Capture", "VideoStorage", "ViewfinderPage",
      lifecycle, log, arguments, configuration, yaml,
    ], path: "Sources/Daemon/firstlightd", swiftSettings: swiftSettings, linkerSettings: [smallImage]),
]

let testTargets: [Target] = [
  tests(of: "Locking", in: "Capture", ["CLocking"]),
  tests(of: "SystemClocks", in: "Capture", []),
  tests(of: "CaptureCore", in: "Capture", ["CaptureTestKit", "SystemClocks"]),
  tests(of: "SystemFiles", in: "Capture", ["CaptureCore"]),
  tests(
    of: "V4L2Capture", in: "Capture",
    ["CaptureCore", "CaptureSessions", "CaptureTestKit", "CV4L2", "HotPlug", "SystemClocks", "SystemFiles", log]),
  tests(of: "AudioCapture", in: "Capture", ["CALSA", "CaptureCore", "CaptureTestKit", "SystemClocks", log]),
  tests(of: "SyntheticCapture", in: "Capture", ["CaptureCore", "CaptureTestKit", "Imaging", "SystemClocks"]),
  tests(of: "SystemPressure", in: "Capture", ["CaptureCore", "CaptureTestKit", "SystemClocks", log]),
  tests(of: "SystemSleep", in: "Capture", []),
  tests(of: "SystemWatchdog", in: "Capture", ["CaptureCore", log]),
  tests(of: "CaptureSessions", in: "Capture", ["CaptureCore", "CaptureTestKit", "SystemClocks", log]),

  tests(of: "Imaging", in: "Imaging", ["CaptureCore", "CaptureTestKit", "SystemClocks"]),
  tests(
    of: "VideoCoding", in: "Imaging",
    ["CaptureCore", "CaptureTestKit", "Imaging", "MovieTestKit", "SystemClocks", "SystemFiles"]),
  tests(of: "OverlayDrawing", in: "Imaging", ["CaptureCore", "Imaging", "SystemClocks"]),
  tests(
    of: "PhotoFusion", in: "Imaging", ["CaptureCore", "CaptureTestKit", "Imaging", "SyntheticCapture", "SystemClocks"]),
  tests(
    of: "FrameComposition", in: "Imaging",
    ["CaptureCore", "CaptureTestKit", "Imaging", "MovieTestKit", "SyntheticCapture", "SystemClocks"]),

  tests(
    of: "FrameDelivery", in: "Delivery",
    ["CaptureCore", "CaptureTestKit", "Imaging", "OverlayDrawing", "SystemClocks"]),
  tests(
    of: "DelayedFeeds", in: "Delivery",
    ["CaptureCore", "CaptureTestKit", "FrameDelivery", "SystemClocks"]),
  tests(
    of: "MovieRecording", in: "Delivery",
    [
      "CaptureCore", "CaptureTestKit", "Imaging", "Locking", "MovieTestKit", "SystemClocks", "SystemFiles",
      "VideoCoding", "VideoStorage", log,
    ]),
  tests(of: "PhotoCapture", in: "Delivery", ["CaptureCore", "CaptureTestKit", "Imaging", "Locking", "SystemClocks"]),
  tests(
    of: "PhotoLibrary", in: "Delivery",
    ["CaptureCore", "CaptureTestKit", "Imaging", "Locking", "SystemClocks", "SystemFiles", grdb, log]),
  tests(of: "VideoStorage", in: "Delivery", ["CaptureCore", "Locking", "MovieTestKit", "SystemFiles", log]),

  tests(of: "RPCCore", in: "Transports", ["GoogleRPC", "RPCTestKit", "SystemClocks", log, protobuf]),
  tests(
    of: "GRPCTransport", in: "Transports",
    [
      "CGRPC", "GoogleRPC", "CGRPCTestClient", "RPCCore", "RPCTestKit", "SystemClocks", log, protobuf, lifecycle,
      lifecycleTestKit,
    ]),
  tests(
    of: "HTTPTransport", in: "Transports",
    [
      "GoogleRPC", "RPCCore", "RPCTestKit", "SystemClocks", httpTypes, lifecycle, log, protobuf,
      .product(name: "NIOEmbedded", package: "swift-nio"),
    ] + nio + nioHTTPTypes),
  tests(of: "LocalTransport", in: "Transports", ["CaptureCore", "CLocalSocket", log]),

  tests(
    of: "FirstlightServices", in: "Services",
    [
      "CaptureCore", "CaptureSessions", "CaptureTestKit", "DelayedFeeds", "FirstlightAPI", "GoogleRPC",
      "HTTPTransport", "Imaging", "LocalTransport", "MovieRecording", "OverlayDrawing",
      "FirstlightTestKit", "PhotoCapture", "PhotoLibrary", "FrameDelivery", "RPCCore", "RPCTestKit",
      "SyntheticCapture", "SystemClocks", "SystemPressure", "VideoStorage", lifecycle, log, protobuf,
    ]),

  .testTarget(
    name: "FirstlightdTests",
    dependencies: [
      "AudioCapture", "CaptureCore", "CaptureSessions", "CaptureTestKit", "FirstlightServices", "MovieRecording",
      "RPCCore", "SyntheticCapture", "SystemPressure", "VideoCoding", "VideoStorage", "firstlightd", arguments, log,
    ], path: "Tests/Daemon/FirstlightdTests", swiftSettings: swiftSettings),

  .target(
    name: "CaptureTestKit", dependencies: ["CaptureCore", "SystemClocks"], path: "Tests/TestKits/CaptureTestKit",
    swiftSettings: swiftSettings),
  .target(
    name: "MovieTestKit", dependencies: ["CaptureCore", "CaptureTestKit", "Imaging", "SystemClocks"],
    path: "Tests/TestKits/MovieTestKit", swiftSettings: swiftSettings),
  .target(
    name: "FirstlightTestKit",
    dependencies: [
      "CaptureCore", "CaptureSessions", "DelayedFeeds", "FirstlightAPI", "FirstlightServices", "FrameComposition",
      "FrameDelivery", "GoogleRPC", "Imaging", "MovieRecording", "PhotoCapture", "PhotoLibrary", "RPCCore",
      "RPCTestKit", "SyntheticCapture", "SystemPressure", "VideoStorage", log, protobuf,
    ], path: "Tests/TestKits/FirstlightTestKit", swiftSettings: swiftSettings),
  .target(
    name: "RPCTestKit", dependencies: ["RPCCore", "SystemClocks", protobuf], path: "Tests/TestKits/RPCTestKit",
    swiftSettings: swiftSettings),
  .target(
    name: "CGRPCTestClient", dependencies: ["CGRPC"], path: "Tests/TestKits/CGRPCTestClient",
    cxxSettings: [.headerSearchPath("../../../Sources/Bindings/CGRPC")],
    linkerSettings: grpcLibraries.map { .linkedLibrary($0) }),
  .executableTarget(
    name: "fusion-bench", dependencies: ["CaptureCore", "Imaging", "PhotoFusion", "SyntheticCapture"],
    path: "Tests/Benchmarks/fusion/runner", swiftSettings: swiftSettings),
  .executableTarget(
    name: "composition-bench", dependencies: ["CaptureCore", "FrameComposition", "Imaging"],
    path: "Tests/Benchmarks/composition/runner", swiftSettings: swiftSettings),
  .executableTarget(
    name: "storage-bench", dependencies: ["CaptureCore", "Locking", "SystemFiles", "VideoCoding", "VideoStorage", log],
    path: "Tests/Benchmarks/storage/runner", swiftSettings: swiftSettings),
]

/// The names of targets that a build leaves out. scripts/sanitize sets the variable, because building what a sanitizer
/// cannot check takes minutes.
let leftOut = Set((Context.environment["FIRSTLIGHT_LEFT_OUT"] ?? "").split(separator: " ").map(String.init))

let package = Package(
  name: "firstlight",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["YAML"]),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: (targets + testTargets).filter { !leftOut.contains($0.name) },
  cxxLanguageStandard: .cxx17
)
