import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import SystemClocks
import Testing

@testable import PhotoCapture

/// Captures that are written to a file and whose photos are made of the file, with the real codecs.
@Suite(.computing) struct UnprocessedCaptureTests {
  static let yuyv = FrameLayout.packed(.yuyv, Size(width: 320, height: 180))!

  /// Eight frames of the same scene, each with noise of its own.
  static func frames(_ layout: FrameLayout = yuyv) -> [Frame] {
    let pool = FramePool(budget: 64 << 20)
    return (UInt64(1)...8).map { sequence in
      var noise = sequence
      let memory = pool.take(layout.byteCount)!
      for index in 0..<layout.byteCount {
        noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        memory.bytes[index] = UInt8(60 + index % 97 + Int(noise >> 60))
      }
      var sensor = SensorReadings(exposureNanoseconds: 1_000_000 * sequence, gain: 5)
      (sensor.exposureBias, sensor.isFlashOn) = (-0.5, false)
      let time = FrameTime(
        monotonic: .epoch + sequence * PhotoStage.period, wall: .epoch + sequence << 56, source: .endOfFrame)
      return Frame(
        streamID: 3, sequence: sequence, time: time, layout: layout, buffer: memory.freeze(count: layout.byteCount),
        sensor: sensor)
    }
  }

  /// The photo of `own`, merged with the others.
  static func held(_ own: Frame, with others: [Frame] = [], input: String = "left") -> HeldFrame {
    HeldFrame(
      captured: CapturedFrame(frame: own, input: input, configRevision: 7, camera: "Kamera Ü", device: "usb-1"),
      loan: FrameLoan(own.buffer), neighbours: others.map { HeldFrame.Neighbour($0) },
      selection: FrameSelection(
        zeroShutterLagUsed: true, match: .damaged, shutterLagNanoseconds: -9, replacedSequence: 2),
      heldAt: 30, capturePhase: CapturePhase(begin: 20, end: 40))
  }

  static func settings(
    _ file: PhotoFileSettings = PhotoFileSettings(), _ quality: PhotoQuality = .quality, isOfSeveral: Bool = false
  ) -> UnprocessedCapture.Settings {
    .init(file: file, quality: quality, arrival: 10, isOfSeveral: isOfSeveral)
  }

  static func photos(of capture: UnprocessedCapture) throws -> [Photo] {
    let maker = PhotoMaker(
      processor: PhotoProcessing.fusion.makeProcessor(FramePool(budget: 64 << 20)),
      encode: PhotoEncoder.make(FramePool(budget: 64 << 20)), now: { 50 })
    var capture = capture
    return try maker.makePhotos(of: &capture)
  }

  /// The bytes of the file of a capture.
  static func written(_ capture: UnprocessedCapture) throws -> Data {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("photo-\(UUID().uuidString)")
    #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try FileHandle(forWritingTo: url)
    try capture.write { try file.write(contentsOf: Data($0)) }
    try file.close()
    return try Data(contentsOf: url)
  }

  /// Reads a capture from such bytes.
  static func read(_ file: Data, in pool: FramePool = FramePool(budget: 64 << 20)) throws -> UnprocessedCapture {
    var rest = file[...]
    let capture = try UnprocessedCapture.read(in: pool) { bytes in
      guard rest.count >= bytes.count else { throw CocoaError(.fileReadCorruptFile) }
      bytes.copyBytes(from: rest.prefix(bytes.count))
      rest = rest.dropFirst(bytes.count)
    }
    #expect(rest.isEmpty, "all bytes of the file belong to the capture")
    return capture
  }

  /// Makes the photos of a capture, and those of its file, and expects that they are the same.
  @discardableResult
  static func compare(_ capture: UnprocessedCapture) throws -> [Photo] {
    let (unbroken, resumed) = (try photos(of: capture), try photos(of: try read(try written(capture))))
    #expect(unbroken.count == resumed.count)
    for (a, b) in zip(unbroken, resumed) {
      #expect(a.frame == b.frame && a.selection == b.selection && a.sensor == b.sensor && a.phases == b.phases)
      #expect(a.encoding == b.encoding && a.quality == b.quality && a.fusedFrameCount == b.fusedFrameCount)
      #expect(a.bracketIndex == b.bracketIndex && a.byteCount == b.byteCount && a.picture.layout == b.picture.layout)
      let isSame = a.picture.buffer.withUnsafeBytes { a in
        b.picture.buffer.withUnsafeBytes { b in a.elementsEqual(b) }
      }
      #expect(isSame, "the files of the photos have the same bytes")
    }
    return unbroken
  }

  @Test(
    "a photo that is made of a file is that of the unbroken run, byte for byte",
    arguments: PhotoQuality.allCases, PhotoEncoding.allCases)
  func resumedPhotosAreTheSame(quality: PhotoQuality, encoding: PhotoEncoding) throws {
    let frames = Self.frames()
    let count = PhotoProcessing.fusion.frameCount(quality)
    let thumbnail = encoding.embedsThumbnails ? Size(width: 64, height: 64) : nil
    let file = PhotoFileSettings(encoding: encoding, jpegQuality: 71, heicQuality: 33, embeddedThumbnail: thumbnail)
    let held = Self.held(frames[3], with: Array(frames.filter { $0 !== frames[3] }.prefix(count - 1)))
    let photo = try Self.compare(UnprocessedCapture(settings: Self.settings(file, quality), held: held))[0]
    #expect(photo.fusedFrameCount == count)
    #expect(photo.frame.input == "left" && photo.selection.replacedSequence == 2)
  }

  @Test(
    "H5: the exposures of a merged bracket are kept, and each photo of an unmerged one, with what the shot set",
    arguments: [true, false])
  func bracketsAreTheSame(isMerged: Bool) throws {
    let frames = Self.frames()
    var held = Self.held(frames[1], with: isMerged ? [frames[0], frames[2]] : [])
    held.mergesExposures = isMerged
    held.conditions = ShotConditions(earliest: 1, readings: SensorReadings(gain: 9), isFlashOn: true, settles: true)
    held.orientation = Orientation(rotation: .quarter, isMirrored: true)
    if !isMerged { held.following = [Self.held(frames[4], input: "right"), Self.held(frames[5])] }
    held.following.indices.forEach { held.following[$0].hasForeignReadings = true }
    let photos = try Self.compare(
      UnprocessedCapture(settings: Self.settings(.init(), .speed, isOfSeveral: !isMerged), held: held))
    #expect(photos.map(\.fusedFrameCount) == (isMerged ? [3] : [1, 1, 1]))
    #expect(photos.map(\.bracketIndex) == (isMerged ? [nil] : [0, 1, 2]))
    #expect(photos[0].sensor.isFlashOn == true && photos[0].sensor.gain == (isMerged ? nil : 9))
    #expect(photos.dropFirst().allSatisfy { $0.sensor == SensorReadings() })
  }

  @Test("the layers of a composed frame, and a frame that the camera compressed, are kept") func otherFrames() throws {
    let own = Self.frames()[0]
    var layer = ComposedLayer(input: "a", frame: own, isStale: true)
    layer.source?.sequence = 77
    let jpeg = try JPEGEncoder(pool: FramePool(budget: 8 << 20)).encode(own.picture, quality: 80)
    let frame = Frame(
      streamID: 1, sequence: 2, time: own.time, layout: .packed(.mjpeg, Self.yuyv.size)!, buffer: jpeg.buffer,
      layers: [layer, ComposedLayer(input: "b", frame: nil, isStale: false)])
    let photo = try Self.compare(UnprocessedCapture(settings: Self.settings(), held: Self.held(frame)))[0]
    #expect(photo.frame.layers == frame.layers)
  }

  @Test("a file of another version, a damaged file and one that ends too early are refused") func refusals() throws {
    let file = try Self.written(UnprocessedCapture(settings: Self.settings(), held: Self.held(Self.frames()[0])))
    func reason(_ change: (inout Data) -> Void) -> CaptureError.Reason? {
      var changed = file
      change(&changed)
      do { _ = try Self.read(changed) } catch { return (error as? CaptureError)?.reason }
      return nil
    }
    #expect(reason { $0[7] += 1 } == .processingFailed, "another version")
    #expect(reason { $0[8] = 5 } == .processingFailed, "the fields end too early")
    #expect(reason { $0[12] = 1 } == .processingFailed, "no file has so many fields")
    #expect(reason { $0[16] = 4 } == .processingFailed, "no encoding has this number")
    #expect(throws: CocoaError.self) { try Self.read(file.dropLast()) }
    let error = #expect(throws: CaptureError.self) { try Self.read(file, in: FramePool(budget: 4096)) }
    #expect(error?.reason == .outOfBuffers)
  }
}
