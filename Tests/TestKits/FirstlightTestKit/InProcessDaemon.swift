package import CaptureCore
package import CaptureSessions
internal import DelayedFeeds
package import FirstlightServices
internal import Foundation
internal import FrameComposition
internal import FrameDelivery
internal import Imaging
internal import Logging
internal import MovieRecording
internal import PhotoCapture
internal import PhotoLibrary
package import RPCCore
internal import Synchronization
package import SyntheticCapture
package import SystemPressure
internal import VideoStorage

/// The daemon without a process and without a socket: all services behind one router, on synthetic cameras and a
/// temporary folder. A test calls methods and gets what a client of the daemon gets. Each test has a daemon of its own.
///
/// ```swift
/// try await InProcessDaemon.run { daemon in
///   let session = try await daemon.createSession(.small(), start: true)
///   let refusal = try await daemon.refusal(of: Firstlight_V1_SessionService.deleteSession, .with { $0.etag = "old" })
/// }
/// ```
package final class InProcessDaemon: Sendable {
  /// The cameras, the clock, the machine and the settings of a daemon. The defaults fit most tests.
  package struct Setup: Sendable {
    /// How many synthetic cameras there are.
    package var cameras = 2
    /// Further cameras, such as those that a test steers.
    package var providers: [any DeviceProvider] = []
    /// Times the delays that sessions observe. A manual clock lets the test decide when they pass.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// Files below `sys` and `proc` that tell how hot and how loaded the machine is, by their paths. The daemon reads
    /// them as it starts.
    package var machine: [String: String] = [:]
    /// Thresholds that replace those of the machine.
    package var thresholds = ThresholdOverrides()
    /// The path of the configuration file that the daemon tells clients of; nil for none.
    package var configurationFile: String?
    /// Whether the daemon has a folder for recordings.
    package var hasRecordings = true
    /// The most bytes of the photo library; nil for no limit.
    package var libraryQuota: UInt64?
    /// Whether the daemon serves drills.
    package var hasDrills = true
    /// Decides who may do what.
    package var access: any AccessCheck = StandardAccess()

    /// Makes the usual setup.
    package init() {}
  }

  /// The synthetic cameras, `synthetic-0`, `synthetic-1` and so on.
  package let cameras: SyntheticDeviceProvider
  /// The sessions, for what no client can do.
  package let sessions: SessionRegistry
  /// The devices, for what no client can do.
  package let devices: DeviceRegistry
  /// The pressure of the machine.
  package let pressure: PressureMonitor
  /// The temporary folder, which goes with the daemon.
  package let folder: String
  /// The faults that clients asked for, each with the id of its device. The daemon keeps them and injects none.
  package var injectedFaults: [(fault: InjectedFault, device: String)] { faults.injected }

  /// The services, for the pages of the daemon and the local socket.
  package let services: CameraServices
  /// The methods that clients may call.
  package let router: RPCRouter
  private let faults = FaultRecorder()
  private let executor: CallExecutor
  private let calls = Mutex<[(call: InProcessCall, task: Task<Void, Never>)]>([])
  private let background = Mutex<[Task<Void, Never>]>([])

  /// Runs a test with a daemon of its own. The calls that still run end when `body` returns, and the daemon with them.
  ///
  /// - Throws: the error of `body`.
  package static func run<Result>(
    _ change: (inout Setup) -> Void = { _ in }, _ body: (InProcessDaemon) async throws -> Result
  ) async throws -> Result {
    var setup = Setup()
    change(&setup)
    let daemon = try InProcessDaemon(setup)
    do {
      let result = try await body(daemon)
      await daemon.end()
      return result
    } catch {
      await daemon.end()
      throw error
    }
  }

  private init(_ setup: Setup) throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firstlight-\(UUID().uuidString)").path
    try MachineFiles(setup.machine).write(to: folder)
    cameras = SyntheticDeviceProvider(count: setup.cameras, configuration: .init(scene: .still, noise: 0))
    let devices = DeviceRegistry(providers: [cameras] + setup.providers)
    let storage = VideoStorage(folder: folder + "/storage", unitSize: 1 << 20, logger: logger)
    let recordings = Recordings(videoStorage: storage) { [setup] in
      guard setup.hasRecordings else { return .failure(CaptureError(.processingFailed, "There is no folder.")) }
      return Result { () throws(CaptureError) in
        try RecordingStore(folder: folder + "/recordings", logger: logger, videoStorage: storage)
      }
    }
    let (readers, captures) = (ReaderDirectory(), CaptureStore())
    pressure = PressureMonitor(
      reader: PressureReader(sysfsRoot: folder + "/sys", procfsRoot: folder + "/proc"), overrides: setup.thresholds,
      logger: logger)
    let ladder = AdaptationLadder.standard
    let outputs = SessionOutputs(
      readers: readers, captures: captures, recordings: recordings, usesHardwareEncoders: false, logger: logger)
    sessions = SessionRegistry(
      devices: devices, pressure: ladder.demands(of: pressure.current), logger: logger, clock: setup.clock,
      meanLuma: { MeanLuma.measure($0.picture) }, makeComposition: { Composition(id: $0, layers: $1) },
      makeOutput: outputs.make)
    services = CameraServices(
      devices: devices, sessions: sessions, readers: readers, captures: captures,
      library: PhotoLibrary(folder: folder + "/library", quota: setup.libraryQuota, logger: logger),
      recordings: recordings, videoStorage: storage, configurationFile: setup.configurationFile,
      delayedFeeds: DelayedFeedRegistry(folder: folder + "/delayed"), pressure: pressure, ladder: ladder,
      access: setup.access, logger: logger)
    let drills = Drills { [faults] in faults.inject($0, into: $1) }
    do {
      router = try services.router(
        facts: .test, health: HealthState(services: CameraServices.serviceNames), drills: setup.hasDrills ? drills : nil
      )
    } catch {
      try? FileManager.default.removeItem(atPath: folder)
      throw error
    }
    executor = CallExecutor(
      router: router, interceptors: [CallLog(logger: logger)], errorMapper: ErrorMapping.rpcError,
      errorDomain: ErrorMapping.domain,
      logger: logger)
    (self.devices, self.folder) = (devices, folder)
    background.withLock { [devices, pressure, sessions] tasks in
      tasks = [
        Task { await devices.run() },
        Task { await pressure.run() },
        Task {
          for await _ in pressure.watch(.everything) {
            await sessions.setPressure(ladder.demands(of: pressure.state(of: .everything)))
          }
        },
        Task { try? await captures.run() },
      ]
    }
  }

  /// Begins a call.
  func begin(_ method: MethodDescriptor, _ client: Client, _ requests: [[UInt8]], isOver: Bool) -> InProcessCall {
    let context = CallContext(
      method: method.name, peer: client.peer, principal: client.principal, metadata: client.metadata)
    let (limits, isLarge) = (ServerFacts.test.server, router.route(for: method.name)?.requests == .large)
    let call = InProcessCall(
      context, maximumRequestBytes: isLarge ? limits.maximumRequestBytes : limits.maximumSmallRequestBytes)
    for request in requests { call.send(request) }
    if isOver { call.endRequests() }
    let task = Task { [executor] in await executor.run(call) }
    calls.withLock { $0.append((call, task)) }
    return call
  }

  /// Ends the sessions as the daemon does when it stops, with their streams, and leaves the calls as they are.
  package func shutDown() async {
    let error = CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
    devices.events.end(error)
    await sessions.shutDown(error)
  }

  private func end() async {
    let calls = calls.withLock { $0 }
    for (call, _) in calls { call.cancel() }
    for (_, task) in calls { await task.value }
    await shutDown()
    _ = await services.movies.recordings.close(within: .seconds(5))
    await services.movies.videoStorage.close()
    let background = background.withLock { $0 }
    for task in background { task.cancel() }
    for task in background { await task.value }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
