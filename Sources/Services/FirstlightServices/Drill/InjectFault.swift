internal import CaptureCore
internal import FirstlightAPI
internal import RPCCore

/// A fault that a synthetic camera can have.
public enum InjectedFault: Hashable, Sendable {
  case unplug
  case replug
  /// No frames for so many nanoseconds.
  case stall(UInt64)
  /// Every frame so many nanoseconds late; 0 ends it.
  case late(UInt64)
  /// The next so many frames are lost.
  case drop(Int)
  /// The next so many frames are damaged.
  case corrupt(Int)
  /// So many nanoseconds from opening to the first exposure; 0 ends it.
  case startLatency(UInt64)
  /// So many nanoseconds more to prepare one output, or each when nil; 0 ends it.
  case outputInitDelay(UInt64, output: String?)
  /// So many frames until the exposure is stable, after each start; 0 ends it.
  case settling(Int)
}

/// FaultInjectionService. The daemon serves it only when an operator asked for it.
struct FaultInjectionHandlers: Sendable {
  private let inject: @Sendable (InjectedFault, _ deviceID: String) async throws -> Void

  /// - Parameter inject: carries a fault out. It throws `deviceNotFound` or `notSupportedInConfiguration`.
  init(inject: @escaping @Sendable (InjectedFault, _ deviceID: String) async throws -> Void) {
    self.inject = inject
  }

  /// Adds the method.
  func register(on router: inout RPCRouter) {
    router.unary(Firstlight_Drill_V1_FaultInjectionService.injectFault, injectFault)
  }

  private func injectFault(
    _ request: Firstlight_Drill_V1_InjectFaultRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_InjectFaultResponse {
    let deviceID = try ResourceName.id(in: request.device, "devices", field: "device")
    try await inject(try InjectedFault(request), deviceID)
    return Firstlight_Drill_V1_InjectFaultResponse()
  }
}

extension InjectedFault {
  fileprivate init(_ request: Firstlight_Drill_V1_InjectFaultRequest) throws(CaptureError) {
    switch request.fault {
    case .unplug: self = .unplug
    case .replug: self = .replug
    case .stall(let fault):
      self = .stall(
        try Validation.inRange(
          fault.duration.unsignedNanoseconds ?? .max, 0...60_000_000_000, default: 0, field: "stall.duration"))
    case .late(let fault):
      self = .late(
        try Validation.inRange(
          fault.delay.unsignedNanoseconds ?? .max, 0...10_000_000_000, default: 0, field: "late.delay"))
    case .drop(let fault):
      self = .drop(Int(try Validation.inRange(fault.frames, 1...10_000, default: 1, field: "drop.frames")))
    case .corrupt(let fault):
      self = .corrupt(Int(try Validation.inRange(fault.frames, 1...10_000, default: 1, field: "corrupt.frames")))
    case .startLatency(let fault):
      self = .startLatency(
        try Validation.inRange(
          fault.latency.unsignedNanoseconds ?? .max, 0...10_000_000_000, default: 0, field: "start_latency.latency"))
    case .outputInitDelay(let fault):
      self = .outputInitDelay(
        try Validation.inRange(
          fault.delay.unsignedNanoseconds ?? .max, 0...10_000_000_000, default: 0, field: "output_init_delay.delay"),
        output: fault.output.isEmpty ? nil : fault.output)
    case .settling(let fault):
      self = .settling(Int(try Validation.inRange(fault.frames, 0...600, default: 0, field: "settling.frames")))
    case nil:
      throw CaptureError(.invalidArgument, "The request names no fault; set one of its fields.", field: "fault")
    }
  }
}
