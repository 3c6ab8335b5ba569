internal import CaptureCore

/// What a picture in H.264 tells by the heads of its units (ITU-T H.264, annex B and 7.3.1), without decoding it.
struct AccessUnit {
  /// Whether a decoder can begin with the picture.
  private(set) var isKeyFrame = false
  /// Whether the picture has parameter sets of both kinds.
  var hasParameterSets: Bool { hasSequenceParameters && hasPictureParameters }
  /// Whether there is a picture at all.
  private(set) var hasPicture = false
  private var hasSequenceParameters = false
  private var hasPictureParameters = false

  init(_ buffer: FrameBuffer) { self = buffer.withUnsafeBytes(AccessUnit.init) }

  init(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position + 3 < bytes.count {
      // A third byte above 1 is in no start code that begins at one of the three places.
      if bytes[position + 2] > 1 {
        position += 3
      } else if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 {
        note(bytes[position + 3] & 0x1f)
        position += 4
      } else {
        position += 1
      }
    }
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
