import CaptureCore
import Testing

@testable import V4L2Capture

/// The frames of a camera that sends H.264: what is a frame, what counts as damaged, and which bytes a frame has.
@Suite struct VideoAssemblyTests {
  private let pool = FramePool(budget: 1 << 20)
  private static let key: [UInt8] = [0, 0, 0, 1, 0x65, 0x88]
  private static let next: [UInt8] = [0, 0, 0, 1, 0x41, 0x9a]
  private static let sets: [UInt8] = [0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 2]

  private func add(
    _ bytes: [UInt8], _ sequence: UInt32, to assembly: inout VideoAssembly, _ pool: FramePool? = nil
  ) -> (bytes: [UInt8]?, place: Int?) {
    let (outcome, picture) = bytes.withUnsafeBytes { assembly.add($0, sequence, pool ?? self.pool) }
    guard case .frame(let buffer) = outcome else { return (nil, picture?.place) }
    return (buffer.withUnsafeBytes { Array($0) }, picture?.place)
  }

  /// Cameras send parameter sets with the first key frame, with each one, or in a buffer of their own.
  @Test func eachKeyFrameHasParameterSets() {
    var assembly = VideoAssembly(.h264)
    #expect(add(Self.sets + Self.key, 0, to: &assembly) == (Self.sets + Self.key, 0))
    #expect(add(Self.next, 1, to: &assembly) == (Self.next, 1))
    #expect(add(Self.key, 2, to: &assembly) == (Self.sets + Self.key, 0))
    var apart = VideoAssembly(.h264)
    #expect(add(Self.sets, 0, to: &apart).bytes == nil)
    #expect(add(Self.key, 1, to: &apart) == (Self.sets + Self.key, 0))
  }

  @Test func theStreamBeginsWithAKeyFrame() {
    var assembly = VideoAssembly(.h264)
    #expect(add(Self.next, 0, to: &assembly).bytes == nil)
    #expect(assembly.takeRequest(), "the camera is asked for one")
    #expect(add(Self.key, 1, to: &assembly).place == 0)
    #expect(!assembly.takeRequest())
  }

  /// The arguments are the driver's number of the picture after the first two, and whether it can be decoded.
  @Test(arguments: [(2, true), (3, false), (1, true), (0, false)] as [(UInt32, Bool)])
  func picturesAfterALostOneWaitForAKeyFrame(sequence: UInt32, isDecodable: Bool) {
    var assembly = VideoAssembly(.h264)
    _ = add(Self.key, 0, to: &assembly)
    _ = add(Self.next, 1, to: &assembly)
    #expect((add(Self.next, sequence, to: &assembly).bytes != nil) == isDecodable)
    #expect(assembly.takeRequest() == !isDecodable)
    #expect(add(Self.key, sequence &+ 1, to: &assembly).place == 0)
  }

  @Test func theNumbersOfADriverWrap() {
    var assembly = VideoAssembly(.h264)
    _ = add(Self.key, .max, to: &assembly)
    #expect(add(Self.next, 0, to: &assembly).place == 1)
  }

  /// When there is no memory for a picture, those after it cannot be decoded either.
  @Test func aPictureWithoutMemoryIsALoss() {
    var assembly = VideoAssembly(.h264)
    _ = add(Self.key, 0, to: &assembly)
    #expect(add(Self.next, 1, to: &assembly, FramePool(budget: 0)).bytes == nil)
    #expect(add(Self.next, 2, to: &assembly).bytes == nil)
    #expect(add(Self.key, 3, to: &assembly).place == 0)
  }

  /// A picture whose head is torn away is lost, so that those after it need it.
  @Test(arguments: [[], [0, 0, 1], [UInt8](repeating: 0, count: 64), [0xff, 0xd8, 0xff, 0xdb]] as [[UInt8]])
  func bytesWithoutAPictureAreALoss(bytes: [UInt8]) {
    var assembly = VideoAssembly(.h264)
    _ = add(Self.key, 0, to: &assembly)
    #expect(add(bytes, 1, to: &assembly).bytes == nil)
    #expect(add(Self.next, 2, to: &assembly).bytes == nil)
    #expect(assembly.takeRequest())
  }

  /// The camera sends what is needed anyway, so it is not asked.
  @Test func aKeyFrameAfterALostPictureIsNotAskedFor() {
    var assembly = VideoAssembly(.h264)
    _ = add(Self.key, 0, to: &assembly)
    #expect(add(Self.key, 5, to: &assembly).place == 0)
    #expect(!assembly.takeRequest())
  }

  /// A camera with long groups is asked for a key frame before there is no room.
  @Test func aGroupThatIsHalfFullAsksForAKeyFrame() {
    var assembly = VideoAssembly(.h264)
    let pool = FramePool(budget: 32 << 20)
    let large = Self.next + [UInt8](repeating: 1, count: 1 << 20)
    _ = add(Self.key, 0, to: &assembly, pool)
    var places: [Int?] = []
    var asked: UInt32?
    for number in 1...20 as ClosedRange<UInt32> {
      places.append(add(large, number, to: &assembly, pool).place)
      if assembly.takeRequest(), asked == nil { asked = number }
    }
    #expect(asked == 9 && places.prefix(16).allSatisfy { $0 != nil } && places.last! == nil)
  }
}
