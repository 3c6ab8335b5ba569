internal import CaptureCore

/// What a picture in H.264 tells by the heads of its units (ITU-T H.264, annex B and 7.3.1), without decoding it.
struct AccessUnit {
  /// The most bytes of parameter sets that are kept. All that H.264 allows at once have less.
  static let mostParameterBytes = 64 << 10

  /// Whether a decoder can begin with the picture.
  private(set) var isKeyFrame = false
  /// Whether the picture has parameter sets of both kinds.
  var hasParameterSets: Bool { hasSequenceParameters && hasPictureParameters }
  /// Whether there is a picture at all.
  private(set) var hasPicture = false
  /// The parameter sets with their start codes.
  private(set) var parameterSets: [UInt8] = []
  private(set) var hasSequenceParameters = false
  private var hasPictureParameters = false

  init(_ buffer: FrameBuffer) { self = buffer.withUnsafeBytes(AccessUnit.init) }

  init(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    var start: Int?
    while position + 3 < bytes.count {
      // A third byte above 1 is in no start code that begins at one of the three places.
      if bytes[position + 2] > 1 {
        position += 3
      } else if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 {
        if let start { keep(bytes[start..<position]) }
        start = position
        note(bytes[position + 3] & 0x1f)
        position += 4
      } else {
        position += 1
      }
    }
    if let start { keep(bytes[start...]) }
  }

  /// Keeps a unit with its start code if it is a parameter set.
  private mutating func keep(_ unit: Slice<UnsafeRawBufferPointer>) {
    let type = unit[unit.startIndex + 3] & 0x1f
    guard type == 7 || type == 8, parameterSets.count + unit.count <= Self.mostParameterBytes else { return }
    parameterSets.append(contentsOf: unit)
  }

  private mutating func note(_ type: UInt8) {
    switch type {
    case 1...4: hasPicture = true
    case 5: (hasPicture, isKeyFrame) = (true, true)
    case 7: hasSequenceParameters = true
    case 8: hasPictureParameters = true
    default: break
    }
  }
}

/// The parameter sets that pictures in H.264 may refer to, as a value.
struct ParameterSets: Hashable, Sendable {
  /// The sets in Annex B.
  private(set) var bytes: [UInt8] = []

  /// Adds the sets of a picture. Sequence parameters begin anew.
  mutating func add(_ unit: AccessUnit) {
    guard !unit.parameterSets.isEmpty else { return }
    if unit.hasSequenceParameters {
      bytes = unit.parameterSets
    } else if bytes.count + unit.parameterSets.count <= AccessUnit.mostParameterBytes {
      bytes += unit.parameterSets
    }
  }
}
