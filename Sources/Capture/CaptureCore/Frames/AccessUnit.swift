/// What a coded picture tells by the heads of its units, without decoding it (ITU-T H.264, annex B and 7.3.1; ITU-T
/// H.265, annex B and 7.3.1.2).
public struct AccessUnit: Sendable {
  /// The most bytes of parameter sets that are kept. All that H.264 allows at once have less.
  static let mostParameterBytes = 64 << 10

  /// Which parameter sets a picture has.
  private struct Kinds: OptionSet {
    let rawValue: UInt8
    static let sequence = Kinds(rawValue: 1)
    static let picture = Kinds(rawValue: 2)
    static let video = Kinds(rawValue: 4)
  }

  /// Whether a decoder can begin with the picture.
  public private(set) var isKeyFrame = false
  /// Whether the picture has parameter sets of all kinds.
  public var hasParameterSets: Bool {
    kinds.isSuperset(of: isHEVC ? [.sequence, .picture, .video] : [.sequence, .picture])
  }
  /// Whether there is a picture at all.
  public private(set) var hasPicture = false
  /// The parameter sets with their start codes.
  public private(set) var parameterSets: [UInt8] = []
  /// Whether the parameter sets begin anew with this picture.
  public var hasSequenceParameters: Bool { kinds.contains(.sequence) }
  private var kinds: Kinds = []
  private let isHEVC: Bool

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
    guard kind(of: unit[unit.startIndex + 3]) != nil else { return }
    // The zeros behind a unit belong to the next start code (annex B.1.1).
    let end = unit.lastIndex { $0 != 0 } ?? unit.startIndex
    let whole = unit[...end]
    guard parameterSets.count + whole.count <= Self.mostParameterBytes else { return }
    parameterSets.append(contentsOf: whole)
  }

  /// The kind of a parameter set; nil for any other unit (ITU-T H.264, table 7-1; ITU-T H.265, table 7-1).
  private func kind(of header: UInt8) -> Kinds? {
    switch (isHEVC, isHEVC ? header >> 1 & 0x3f : header & 0x1f) {
    case (true, 32): .video
    case (true, 33), (false, 7): .sequence
    case (true, 34), (false, 8): .picture
    default: nil
    }
  }

  private mutating func note(_ header: UInt8) {
    if let kind = kind(of: header) {
      kinds.insert(kind)
      return
    }
    switch (isHEVC, isHEVC ? header >> 1 & 0x3f : header & 0x1f) {
    // In H.265, random access points have the types 16 to 23, and other pictures lower ones.
    case (true, 16...23), (false, 5): (hasPicture, isKeyFrame) = (true, true)
    case (true, 0...15), (false, 1...4): hasPicture = true
    default: break
    }
  }
}

/// The parameter sets that coded pictures may refer to, as a value.
public struct ParameterSets: Hashable, Sendable {
  /// The sets in Annex B.
  public private(set) var bytes: [UInt8] = []

  /// Creates the value without sets.
  public init() {}

  /// Adds the sets of a picture. Sequence parameters begin anew.
  public mutating func add(_ unit: AccessUnit) {
    guard !unit.parameterSets.isEmpty else { return }
    if unit.hasSequenceParameters {
      bytes = unit.parameterSets
    } else if bytes.count + unit.parameterSets.count <= AccessUnit.mostParameterBytes {
      bytes += unit.parameterSets
    }
  }
}
