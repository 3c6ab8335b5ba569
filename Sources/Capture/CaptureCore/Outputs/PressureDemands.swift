/// The demands that pressure makes on the sessions of all cameras.
public struct PressureDemands: Hashable, Sendable {
  /// The demand of the machine alone.
  public var machine: PressureDemand
  /// By device id, the demand of the machine and the camera together, for each camera that reports its own pressure.
  public var devices: [String: PressureDemand]

  /// Creates demands. By default, there is no pressure.
  public init(machine: PressureDemand = PressureDemand(), devices: [String: PressureDemand] = [:]) {
    self.machine = machine
    self.devices = devices
  }

  /// The demand on a session: that of its camera together with the machine, or that of the machine alone for a camera
  /// that does not report its own pressure.
  ///
  /// - Parameter device: the id of the session's camera; nil for a session without a camera.
  public func demand(of device: String?) -> PressureDemand { device.flatMap { devices[$0] } ?? machine }
}

/// The demands that pressure makes on one session.
public struct PressureDemand: Hashable, Sendable {
  /// The pressure level.
  public var level: PressureLevel
  /// The causes whose level is `level`; empty at the nominal level.
  public var causes: [PressureCause]
  /// The steps that apply at `level`, in the order of the ladder. Only sessions that leave adaptation to the daemon
  /// take these steps.
  public var steps: [AdaptationStep]

  /// Creates a demand. By default, there is no pressure.
  public init(level: PressureLevel = .nominal, causes: [PressureCause] = [], steps: [AdaptationStep] = []) {
    self.level = level
    self.causes = causes
    self.steps = steps
  }
}

/// One step that takes load off the machine: a limit, and the pressure level from which on the limit applies.
public struct AdaptationStep: Hashable, Sendable {
  /// The value that the step limits. A value that is already below its limit stays unchanged.
  public enum Limit: Hashable, Sendable {
    /// Previews fit into a square with sides of this many pixels.
    case previewSide(Int)
    /// The JPEG quality of previews, 1 to 100.
    case previewQuality(Int)
    /// The frames per second of previews.
    case previewRate(Rational)
    /// How far back the ring reaches, in nanoseconds.
    case ringWindow(UInt64)
    /// The number of frames that one photo is made of.
    case fusedFrames(Int)
    /// The frames per second of every output.
    case deviceRate(Rational)
  }

  /// The limit that the step sets.
  public var limit: Limit
  /// The lowest pressure level at which the limit applies.
  public var level: PressureLevel

  /// Creates a step that applies `limit` at `level` and all higher levels.
  public init(_ limit: Limit, from level: PressureLevel) {
    self.limit = limit
    self.level = level
  }
}
