// swift-tools-version: 6.1
import PackageDescription

// A peer that Tests/Benchmarks/bench.py measures. The peer is a package of its own, so that the daemon does not depend
// on it.
let package = Package(
  name: "swift_server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/grpc/grpc-swift-2", exact: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", exact: "2.9.2"),
  ],
  targets: [
    .executableTarget(
      name: "swift_server",
      dependencies: [
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
      ])
  ])
