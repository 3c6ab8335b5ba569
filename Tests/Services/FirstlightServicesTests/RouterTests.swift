import CaptureCore
import CaptureSessions
import CaptureTestKit
import DelayedFeeds
import FirstlightAPI
import FrameDelivery
import Logging
import MovieRecording
import PhotoCapture
import PhotoLibrary
import RPCCore
import SwiftProtobuf
import SystemPressure
import VideoStorage
import Testing

@testable import FirstlightServices

/// Which methods the daemon serves, compared with the descriptor set of the contract.
@Suite struct RouterTests {
  /// The contract promises every method of the descriptor set, drills included.
  @Test func everyRPCOfTheDescriptorSetHasAHandler() throws {
    var router = try Self.router(drills: Drills { _, _ in }).methods
    router.removeAll { $0.name.service.hasPrefix("grpc.") }
    #expect(Set(router) == Set(try Self.described().filter { !$0.name.service.hasPrefix("grpc.") }))
  }

  /// The methods of gRPC's own services have the kinds that their descriptors name.
  @Test func healthAndReflectionAreServedAsDescribed() throws {
    let router = try Self.router(drills: nil)
    for method in try Self.described() where method.name.service.hasPrefix("grpc.") {
      #expect(router.route(for: method.name)?.method == method)
    }
  }

  /// Drills simulate pressure and faults, so the daemon serves them only on request, and fault injection only with
  /// cameras that can fail on purpose.
  @Test func drillsAreServedOnlyWhenAnOperatorAsksForThem() throws {
    #expect(try !Self.router(drills: nil).services.contains { $0.hasPrefix("firstlight.drill.") })
    let withoutCameras = try Self.router(drills: Drills(injectFault: nil)).services
    #expect(withoutCameras.contains(Firstlight_Drill_V1_PressureDrillService.serviceName))
    #expect(!withoutCameras.contains(Firstlight_Drill_V1_FaultInjectionService.serviceName))
  }

  /// The methods of the descriptor set, read from its descriptors and not from the generated constants.
  private static func described() throws -> [MethodDescriptor] {
    try Google_Protobuf_FileDescriptorSet(serializedBytes: FirstlightDescriptorSet.bytes).file.flatMap { file in
      file.service.flatMap { service in
        service.method.map { method in
          let kind: MethodDescriptor.Kind =
            switch (method.clientStreaming, method.serverStreaming) {
            case (false, false): .unary
            case (false, true): .serverStreaming
            case (true, false): .clientStreaming
            case (true, true): .bidirectional
            }
          return MethodDescriptor(service: "\(file.package).\(service.name)", method: method.name, kind: kind)
        }
      }
    }
  }

  private static func router(drills: Drills?) throws -> RPCRouter {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let devices = DeviceRegistry(providers: [])
    let sessions = SessionRegistry(devices: devices, logger: logger, makeComposition: FakeComposition.make) {
      output, _ in FakeOutput(id: output.id)
    }
    let services = CameraServices(
      devices: devices, sessions: sessions,
      readers: ReaderDirectory(), captures: CaptureStore(),
      library: PhotoLibrary(folder: "/nonexistent", quota: nil, logger: logger),
      recordings: Recordings { .failure(CaptureError(.processingFailed, "This test has no folder.")) },
      videoStorage: VideoStorage(folder: "/nonexistent", logger: logger), configurationFile: nil,
      delayedFeeds: DelayedFeedRegistry(folder: "/nonexistent"),
      pressure: PressureMonitor(reader: PressureReader(), logger: logger), ladder: .standard,
      access: StandardAccess(), logger: logger)
    let limits = ServerLimits(
      maximumRequestBytes: 1, maximumSmallRequestBytes: 1, maximumConnections: 1, maximumConnectionsPerAddress: 1,
      maximumCalls: 1, maximumCallsPerConnection: 1, maximumCallsPerSecond: 1)
    let facts = ServerFacts(
      version: "1", bootID: "b", server: limits, usesHardwareEncoders: false, deferredStartLimit: .seconds(1))
    return try services.router(facts: facts, health: HealthState(services: []), drills: drills)
  }
}
