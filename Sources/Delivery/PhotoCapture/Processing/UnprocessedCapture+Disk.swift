internal import CaptureCore
internal import Imaging
internal import SystemClocks
internal import VideoCoding

/// The form of an unprocessed capture on a disk, from which its photos can be made later. It has three parts: a mark
/// with the version, and the length of the second part; the fields of the capture and its frames; and the bytes of the
/// frames as they lie in memory. Frames of coded video are decoded, because their streams will be gone.
///
/// Numbers are little-endian. Instants are those of this run of the machine.
extension UnprocessedCapture {
  /// The mark of version 1.
  private static let mark = Array("flphoto1".utf8)
  /// The most bytes of the second part. A capture of five photos of nine frames each has 10,000.
  private static let mostFields = 1 << 20

  /// Writes the capture.
  ///
  /// - Parameter write: writes all bytes that it gets, after those before.
  /// - Throws: what `write` throws; errors of the decoder for frames of coded video.
  func write(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    var fields = FieldCoder()
    _ = try fields.capture(self)
    var start = FieldCoder(bytes: Self.mark)
    _ = try start.number(fields.bytes.count)
    for part in [start, fields] { try part.bytes.withUnsafeBytes(write) }
    for buffer in fields.buffers { try buffer.withUnsafeBytes(write) }
  }

  /// Reads a capture.
  ///
  /// - Parameters:
  ///   - pool: the memory of its frames.
  ///   - read: fills all bytes that it gets with the next ones.
  /// - Throws: what `read` throws; `processingFailed` for what no daemon of this version wrote; `outOfBuffers`.
  static func read(
    in pool: FramePool, _ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws -> UnprocessedCapture {
    func next(_ count: Int) throws -> FieldCoder {
      var bytes = [UInt8](repeating: 0, count: count)
      try bytes.withUnsafeMutableBytes(read)
      return FieldCoder(bytes: bytes) { count in
        guard let memory = pool.take(count) else {
          throw CaptureError(.outOfBuffers, "There is no memory for a frame of \(count) bytes.")
        }
        try read(UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<count]))
        return memory.freeze(count: count)
      }
    }
    var start = try next(mark.count + 8)
    for byte in mark { _ = try start.number(in: byte...byte) }
    var fields = try next(try start.number(in: 0...mostFields))
    return try fields.capture()
  }
}

/// Goes through the fields of values in their order, and either puts them to its bytes or takes them from there.
///
/// Each method gets the value that is written and returns it, or gets nil and returns the value that is read. So one
/// description of a type serves both.
private struct FieldCoder {
  private(set) var bytes: [UInt8] = []
  /// The memory of the frames that were written.
  private(set) var buffers: [FrameBuffer] = []
  /// Reads a frame of this many bytes; nil when values are written.
  private let readFrame: ((_ count: Int) throws -> FrameBuffer)?
  private var position = 0

  init(bytes: [UInt8] = [], readFrame: ((_ count: Int) throws -> FrameBuffer)? = nil) {
    self.bytes = bytes
    self.readFrame = readFrame
  }

  private var unreadable: CaptureError {
    CaptureError(.processingFailed, "The file of the capture is damaged, or another version of the daemon wrote it.")
  }

  /// - Parameter range: what can be read.
  mutating func number<Number: FixedWidthInteger>(
    _ number: Number? = nil, in range: ClosedRange<Number> = .min ... .max
  ) throws -> Number {
    if let number {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
      return number
    }
    let size = MemoryLayout<Number>.size
    guard bytes.count - position >= size else { throw unreadable }
    let found = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: Number.self) }
    position += size
    guard range.contains(Number(littleEndian: found)) else { throw unreadable }
    return Number(littleEndian: found)
  }

  mutating func flag(_ flag: Bool?) throws -> Bool { try number(flag.map { $0 ? 1 : 0 }, in: 0...UInt8(1)) == 1 }

  mutating func instant<Instant: ClockInstant>(_ instant: Instant?) throws -> Instant {
    Instant(nanoseconds: try number(instant?.nanoseconds))
  }

  mutating func text(_ text: String?) throws -> String {
    String(decoding: try list(text.map { Array($0.utf8) }) { try $0.number($1) }, as: UTF8.self)
  }

  /// - Parameter all: the values, by their numbers in the file.
  mutating func one<Value: Equatable>(_ value: Value?, of all: [Value]) throws -> Value {
    all[Int(try number(value.map { UInt8(all.firstIndex(of: $0)!) }, in: 0...UInt8(all.count - 1)))]
  }

  mutating func optional<Value>(
    _ value: Value?, _ body: (inout FieldCoder, Value?) throws -> Value
  ) throws -> Value? {
    try flag(readFrame == nil ? value != nil : nil) ? try body(&self, value) : nil
  }

  mutating func list<Value>(
    _ values: [Value]?, _ body: (inout FieldCoder, Value?) throws -> Value
  ) throws -> [Value] {
    // Each value that is read has at least one byte.
    let count = try number(values?.count, in: 0...bytes.count)
    return try (0..<count).map { try body(&self, values?[$0]) }
  }
}

extension FieldCoder {
  /// The most bytes of a frame, and the most of each number in its layout.
  private static let mostOfFrame = 1 << 30

  fileprivate mutating func capture(_ capture: UnprocessedCapture? = nil) throws -> UnprocessedCapture {
    let settings = try settings(capture?.settings)
    var photos = try list(capture.map { [$0.held] + $0.held.following }) { try $0.photo($1) }
    guard !photos.isEmpty else { throw unreadable }
    var held = photos.removeFirst()
    held.following = photos
    return UnprocessedCapture(settings: settings, held: held)
  }

  private mutating func settings(_ settings: UnprocessedCapture.Settings?) throws -> UnprocessedCapture.Settings {
    UnprocessedCapture.Settings(
      file: PhotoFileSettings(
        encoding: try one(settings?.file.encoding, of: [.jpeg, .heic, .png, .uncompressed]),
        jpegQuality: try number(settings?.file.jpegQuality, in: 1...100),
        heicQuality: try number(settings?.file.heicQuality, in: 1...100),
        embeddedThumbnail: try optional(settings?.file.embeddedThumbnail) { try $0.size($1) }),
      quality: try one(settings?.quality, of: [.speed, .balanced, .quality]),
      arrival: try instant(settings?.arrival), isOfSeveral: try flag(settings?.isOfSeveral))
  }

  private mutating func photo(_ photo: HeldFrame?) throws -> HeldFrame {
    // The frame gets the sensor's settings for the photo, which then need no conditions of a shot. If its exposures
    // cannot be merged later for lack of memory, the photo has those of its own frame.
    var own = photo
    own?.mergesExposures = false
    let frame = try frame(photo?.captured.frame, own?.sensor)
    let captured = CapturedFrame(
      frame: frame, input: try text(photo?.captured.input), configRevision: try number(photo?.captured.configRevision),
      camera: try text(photo?.captured.camera), device: try text(photo?.captured.device))
    let (selection, phase) = (photo?.selection, photo?.capturePhase)
    return HeldFrame(
      captured: captured, loan: FrameLoan(frame.buffer),
      neighbours: try list(photo?.neighbours) { HeldFrame.Neighbour(try $0.frame($1?.frame, $1?.frame.sensor)) },
      mergesExposures: try flag(photo?.mergesExposures),
      orientation: Orientation(
        rotation: try one(photo?.orientation.rotation, of: [.none, .quarter, .half, .threeQuarters]),
        isMirrored: try flag(photo?.orientation.isMirrored)),
      selection: FrameSelection(
        zeroShutterLagUsed: try flag(selection?.zeroShutterLagUsed),
        match: try one(selection?.match, of: [.exact, .nearest, .damaged]),
        shutterLagNanoseconds: try optional(selection?.shutterLagNanoseconds) { try $0.number($1) },
        replacedSequence: try optional(selection?.replacedSequence) { try $0.number($1) }),
      heldAt: try optional(photo?.heldAt) { try $0.instant($1) },
      capturePhase: CapturePhase(
        begin: try optional(phase?.begin) { try $0.instant($1) }, end: try optional(phase?.end) { try $0.instant($1) }))
  }

  private mutating func frame(_ frame: Frame?, _ sensor: SensorReadings?) throws -> Frame {
    let picture = try frame?.decodedPicture()
    return Frame(
      streamID: try number(frame?.streamID), sequence: try number(frame?.sequence), time: try time(frame?.time),
      layout: try layout(picture?.layout), buffer: try buffer(picture?.buffer), sensor: try readings(sensor),
      layers: try list(frame?.layers) { try $0.layer($1) })
  }

  private mutating func buffer(_ buffer: FrameBuffer?) throws -> FrameBuffer {
    let count = try number(buffer?.count, in: 0...Self.mostOfFrame)
    if let buffer { buffers.append(buffer) }
    guard let found = try buffer ?? readFrame?(count) else { throw unreadable }
    return found
  }

  private mutating func readings(_ sensor: SensorReadings?) throws -> SensorReadings {
    var found = SensorReadings(
      exposureNanoseconds: try optional(sensor?.exposureNanoseconds) { try $0.number($1) },
      gain: try optional(sensor?.gain) { try $0.number($1) })
    found.exposureBias = try optional(sensor?.exposureBias) { Double(bitPattern: try $0.number($1?.bitPattern)) }
    found.isFlashOn = try optional(sensor?.isFlashOn) { try $0.flag($1) }
    found.isOfFrame = try flag(sensor?.isOfFrame)
    return found
  }

  private mutating func layer(_ layer: ComposedLayer?) throws -> ComposedLayer {
    var found = ComposedLayer(input: try text(layer?.input), frame: nil, isStale: try flag(layer?.isStale))
    found.source = try optional(layer?.source) {
      ComposedLayer.Source(
        streamID: try $0.number($1?.streamID), sequence: try $0.number($1?.sequence), time: try $0.time($1?.time))
    }
    return found
  }

  private mutating func layout(_ layout: FrameLayout?) throws -> FrameLayout {
    FrameLayout(
      pixelFormat: PixelFormat(rawValue: try number(layout?.pixelFormat.rawValue)), size: try size(layout?.size),
      planes: try list(layout?.planes) {
        FrameLayout.Plane(
          offset: try $0.number($1?.offset, in: 0...Self.mostOfFrame),
          stride: try $0.number($1?.stride, in: 0...Self.mostOfFrame),
          rows: try $0.number($1?.rows, in: 0...Self.mostOfFrame))
      }, range: try one(layout?.range, of: [.limited, .full]),
      matrix: try one(layout?.matrix, of: [.bt601, .bt709, .bt2020]),
      transfer: try one(layout?.transfer, of: [.standard, .pq]))
  }

  private mutating func time(_ time: FrameTime?) throws -> FrameTime {
    FrameTime(
      monotonic: try instant(time?.monotonic), wall: try instant(time?.wall),
      source: try one(time?.source, of: [.startOfExposure, .endOfFrame, .arrival]))
  }

  private mutating func size(_ size: Size?) throws -> Size {
    Size(width: try number(size?.width, in: 1...65_535), height: try number(size?.height, in: 1...65_535))
  }
}
