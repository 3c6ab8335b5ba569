/// One step that takes load off the machine: a limit, and the level from which on it is in force.
public struct AdaptationStep: Hashable, Sendable {
  /// What is limited. What is lower already stays as it is.
  public enum Limit: Hashable, Sendable {
    /// Previews fit into a square of so many pixels a side.
    case previewSide(Int)
    /// JPEG quality of previews, 1 to 100.
    case previewQuality(Int)
    /// Frames per second of previews.
    case previewRate(Rational)
    /// How far back the frame ring reaches, nanoseconds.
    case ringWindow(UInt64)
    /// Frames that a photo is made of.
    case fusedFrames(Int)
    /// Frames per second of every output.
    case deviceRate(Rational)
  }

  public var limit: Limit
  public var level: PressureLevel

  public init(_ limit: Limit, from level: PressureLevel) {
    self.limit = limit
    self.level = level
  }
}

/// What pressure asks of a session.
public struct PressureDemand: Hashable, Sendable {
  public var level: PressureLevel
  /// What is at `level`; empty at nominal.
  public var causes: [PressureCause]
  /// The steps in force at `level`, in the ladder's order; for sessions that leave adaptation to the daemon.
  public var steps: [AdaptationStep]

  public init(level: PressureLevel = .nominal, causes: [PressureCause] = [], steps: [AdaptationStep] = []) {
    self.level = level
    self.causes = causes
    self.steps = steps
  }
}

/// What pressure asks of the sessions of all cameras.
public struct PressureDemands: Hashable, Sendable {
  /// Of the machine alone.
  public var machine: PressureDemand
  /// Of the machine and a camera together, for cameras that tell of themselves.
  public var devices: [String: PressureDemand]

  public init(machine: PressureDemand = PressureDemand(), devices: [String: PressureDemand] = [:]) {
    self.machine = machine
    self.devices = devices
  }

  /// - Parameter device: nil for a session without a camera.
  public func demand(of device: String?) -> PressureDemand { device.flatMap { devices[$0] } ?? machine }
}

/// What pictures may be at most.
public struct PictureLimits: Hashable, Sendable {
  /// Pixels, of the longer side of a preview's. Nil: any.
  public var side: Int?
  /// JPEG quality of a preview's, 1 to 100. Nil: any.
  public var quality: Int?
  /// Frames that a photo is made of, at least 1. Nil: any.
  public var fusedFrames: Int?

  public init(side: Int? = nil, quality: Int? = nil, fusedFrames: Int? = nil) {
    self.side = side
    self.quality = quality
    self.fusedFrames = fusedFrames
  }
}
