internal import CaptureCore

/// Why a continuous recording cannot go on: there is too little space, or the disk failed.
struct SegmentRefusal: Error {
  let end: RecordingEnd

  static let noSpace = SegmentRefusal(end: .minimumFreeSpace)

  init(_ error: CaptureError) { end = .failed(error) }

  private init(end: RecordingEnd) { self.end = end }
}
