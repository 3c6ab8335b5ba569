/// The heads of the units of a coded picture, which tell much of it without decoding (ITU-T H.264, annex B and 7.3.1;
/// ITU-T H.265, annex B and 7.3.1.2).
public struct AccessUnit: Sendable {
  /// True when a decoder can begin with the picture.
  public private(set) var isKeyFrame = false
  /// True when the bytes have a picture, and not parameter sets alone.
  public private(set) var hasPicture = false
  /// The parameter sets of the picture.
  public private(set) var sets = ParameterSets()
  private let isHEVC: Bool

  /// True when the picture comes with parameter sets of every kind that a decoder needs.
  public var hasParameterSets: Bool {
    !sets.sequence.isEmpty && !sets.picture.isEmpty && (!isHEVC || !sets.video.isEmpty)
  }

  /// Reads a picture in H.264.
  public init(_ buffer: FrameBuffer) { self = buffer.withUnsafeBytes { AccessUnit($0) } }

  /// Reads a picture.
  ///
  /// - Parameters:
  ///   - bytes: the picture, in annex B.
  ///   - format: `h264` or `hevc`.
  ///   - onlyHead: whether to end with the head of the first slice. No parameter set of the picture comes after it, and
  ///     the head tells whether this is a key frame.
  public init(_ bytes: UnsafeRawBufferPointer, _ format: PixelFormat = .h264, onlyHead: Bool = false) {
    isHEVC = format == .hevc
    var position = 0
    var start: Int?
    while position + 3 < bytes.count {
      // A third byte above 1 is in no start code that begins at one of the three places.
      if bytes[position + 2] > 1 {
        position += 3
      } else if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 {
        if let start { keep(bytes[start..<position]) }
        start = position
        note(bytes[position + 3])
        if onlyHead, hasPicture { return }
        position += 4
      } else {
        position += 1
      }
    }
    if let start { keep(bytes[start...]) }
  }

  /// Keeps a unit with its start code if it is a parameter set.
  private mutating func keep(_ unit: Slice<UnsafeRawBufferPointer>) {
    guard let kind = kind(of: unit[unit.startIndex + 3]) else { return }
    // The zeros behind a unit belong to the next start code (annex B.1.1).
    let end = unit.lastIndex { $0 != 0 } ?? unit.startIndex
    let whole = unit[...end]
    guard sets.count + whole.count <= ParameterSets.mostBytes else { return }
    sets[keyPath: kind].append(contentsOf: whole)
  }

  /// The kind of a parameter set; nil for any other unit (ITU-T H.264, table 7-1; ITU-T H.265, table 7-1).
  private func kind(of header: UInt8) -> WritableKeyPath<ParameterSets, [UInt8]>? {
    switch (isHEVC, isHEVC ? header >> 1 & 0x3f : header & 0x1f) {
    case (true, 32): \.video
    case (true, 33), (false, 7): \.sequence
    case (true, 34), (false, 8): \.picture
    default: nil
    }
  }

  private mutating func note(_ header: UInt8) {
    switch (isHEVC, isHEVC ? header >> 1 & 0x3f : header & 0x1f) {
    // In H.265, random access points have the types 16 to 23, and other pictures lower ones.
    case (true, 16...23), (false, 5): (hasPicture, isKeyFrame) = (true, true)
    case (true, 0...15), (false, 1...4): hasPicture = true
    default: break
    }
  }
}

/// The parameter sets that coded pictures may refer to, with their start codes. A value.
public struct ParameterSets: Hashable, Sendable {
  /// The most bytes of parameter sets that are kept. All that H.264 allows at once have less.
  static let mostBytes = 64 << 10

  /// The sets of the video (VPS), which only HEVC has; those of the sequence (SPS), and those of the pictures (PPS).
  fileprivate(set) var video: [UInt8] = [], sequence: [UInt8] = [], picture: [UInt8] = []

  /// Creates the value without sets.
  public init() {}

  /// All sets, in the order in which a decoder needs them.
  public var bytes: [UInt8] { video + sequence + picture }

  /// The number of bytes of all sets.
  public var count: Int { video.count + sequence.count + picture.count }

  /// Adds the sets of a picture. Those of the video and of the sequence begin anew; cameras may send each kind in a
  /// buffer of its own.
  public mutating func add(_ unit: AccessUnit) {
    let new = unit.sets
    if !new.video.isEmpty { (video, sequence, picture) = (new.video, [], []) }
    if !new.sequence.isEmpty { (sequence, picture) = (new.sequence, []) }
    guard !new.picture.isEmpty, !has(new.picture), count + new.picture.count <= Self.mostBytes else { return }
    picture += new.picture
  }

  /// Returns true when the value has these sets of pictures already. Cameras repeat them.
  private func has(_ sets: [UInt8]) -> Bool {
    picture.count >= sets.count
      && (0...picture.count - sets.count).contains { picture[$0..<$0 + sets.count].elementsEqual(sets) }
  }
}
