/// All that one output knows of its session's state and configuration. The session replaces the conditions as a whole
/// whenever a part of them may have changed.
public struct OutputConditions: Hashable, Sendable {
  /// The state of the session, or of the output's own camera or composition when the session has several. The output
  /// passes it on to its readers.
  public var status = SessionStatus(.stopped)
  /// Whether frames come to the output, and how pictures are turned on their way.
  public var connection = Connection()
  /// The revision of the configuration by which the next frames come.
  public var revision: UInt64 = 0
  /// The id of the device whose frames come to the output, as ``CapturedFrame/device``. While a commit may still fail,
  /// this is the former device, and frames of another one may come already.
  public var device = ""
  /// The sound that comes to the output, in the order of the session's inputs. Only movie outputs use it.
  public var audio: [AudioConnection] = []
  /// The limits that system pressure sets on pictures. Previews and photo outputs follow them.
  public var limits = PictureLimits()
  /// The features that photos are made with. Only photo outputs use them.
  public var photoFeatures = PhotoFeatures()
  /// The cameras of a photo output that several are connected to, the output's own first. Empty for any other output.
  public var constituents: [ConstituentCamera] = []
  /// How the camera's frames will lie in memory, so that an output can prepare for them before they come. Nil while the
  /// session has no camera.
  public var expectedLayout: FrameLayout?
  /// How many frames the camera gives per second. Nil while the session has no camera.
  public var expectedFrameRate: Rational?
  /// Whether a commit is under way that restarts the camera or changes how photos are made. Captures in flight end when
  /// this becomes true.
  public var isReconfiguring = false
  /// Whether the exposure of the output's camera settles after the start of the session. Only photo outputs use it.
  public var isSettling = false

  /// Creates the conditions of an output whose session is stopped and does not limit pictures.
  public init() {}

  /// Takes over the state of one of ``constituents``; of any other camera it is ignored.
  public mutating func setStatus(_ status: SessionStatus, ofConstituent input: String) {
    for index in constituents.indices where constituents[index].input == input { constituents[index].status = status }
  }
}

/// The upper limits on the pictures of a session. A value that is nil is not limited.
public struct PictureLimits: Hashable, Sendable {
  /// The limit on the longer side of a preview's pictures, in pixels; nil for no limit.
  public var side: Int?
  /// The limit on the JPEG quality of a preview's pictures, 1 to 100; nil for no limit.
  public var quality: Int?
  /// The limit on the number of frames that one photo is made of, at least 1; nil for no limit.
  public var fusedFrames: Int?

  /// Creates limits; a value that is nil is not limited.
  ///
  /// - Parameters: as the properties of the same names.
  public init(side: Int? = nil, quality: Int? = nil, fusedFrames: Int? = nil) {
    self.side = side
    self.quality = quality
    self.fusedFrames = fusedFrames
  }
}
