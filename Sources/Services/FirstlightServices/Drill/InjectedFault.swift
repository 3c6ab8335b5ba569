internal import CaptureCore
internal import FirstlightAPI
internal import RPCCore

/// A fault that a synthetic camera or microphone can have. Durations are in nanoseconds.
public enum InjectedFault: Hashable, Sendable {
  case unplug
  case replug
  /// The device brings nothing for this time, 0 to 60 s.
  case stall(UInt64)
  /// Every frame comes this much late, 0 to 10 s; 0 ends the fault.
  case late(UInt64)
  /// The camera loses this many of the next frames, 1 to 10,000.
  case drop(Int)
  /// The camera damages this many of the next frames, 1 to 10,000.
  case corrupt(Int)
  /// Each start takes this time from the opening of the device to the first exposure, 0 to 10 s; 0 ends the fault.
  case startLatency(UInt64)
  /// The preparation of the output with the id `output` takes this much longer, 0 to 10 s; 0 ends the fault. Nil means
  /// every output. A preview is never slowed down, because its preparation makes no encoder.
  case outputInitDelay(UInt64, output: String?)
  /// After each start, this many frames come before the exposure is stable, 0 to 600; 0 ends the fault.
  case settling(Int)
  /// The microphone loses the sound of this time, 0 to 0.9 s, as after a suspension or as after an overrun.
  case loseSound(UInt64, suspended: Bool)
  /// The clock of the microphone's card is too fast by so many millionths, -2,000 to 2,000.
  case cardClock(Int)
}

extension InjectedFault {
  init(_ request: Firstlight_Drill_V1_InjectFaultRequest) throws(CaptureError) {
    switch request.fault {
    case .unplug: self = .unplug
    case .replug: self = .replug
    case .stall(let fault):
      self = .stall(try Validation.duration(fault.duration, 0...60_000_000_000, field: "stall.duration"))
    case .late(let fault):
      self = .late(try Validation.duration(fault.delay, 0...10_000_000_000, field: "late.delay"))
    case .drop(let fault):
      self = .drop(Int(try Validation.inRange(fault.frames, 1...10_000, default: 1, field: "drop.frames")))
    case .corrupt(let fault):
      self = .corrupt(Int(try Validation.inRange(fault.frames, 1...10_000, default: 1, field: "corrupt.frames")))
    case .startLatency(let fault):
      self = .startLatency(
        try Validation.duration(fault.latency, 0...10_000_000_000, field: "start_latency.latency"))
    case .outputInitDelay(let fault):
      self = .outputInitDelay(
        try Validation.duration(fault.delay, 0...10_000_000_000, field: "output_init_delay.delay"),
        output: fault.output.isEmpty ? nil : fault.output)
    case .settling(let fault):
      self = .settling(Int(try Validation.inRange(fault.frames, 0...600, default: 0, field: "settling.frames")))
    case .loseSound(let fault):
      self = .loseSound(
        try Validation.duration(fault.duration, 0...900_000_000, field: "lose_sound.duration"),
        suspended: fault.suspended)
    case .cardClock(let fault):
      guard (-2000...2000).contains(fault.partsPerMillion) else {
        throw CaptureError(
          .invalidArgument, "card_clock.parts_per_million must be from -2000 to 2000.",
          metadata: ["parts_per_million": "\(fault.partsPerMillion)"], field: "card_clock.parts_per_million")
      }
      self = .cardClock(Int(fault.partsPerMillion))
    case nil:
      throw CaptureError(.invalidArgument, "The request names no fault; set one of its fields.", field: "fault")
    }
  }
}
