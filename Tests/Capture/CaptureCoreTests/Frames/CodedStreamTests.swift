import CaptureCore
import Testing

/// The pictures of a camera that sends coded video: their groups, their places and the wishes for key frames.
@Suite struct CodedStreamTests {
  private let stream = CodedStream(format: .h264)
  private let pool = FramePool(budget: 1 << 20)

  private func buffer() -> FrameBuffer { pool.take(16)!.freeze(count: 16) }

  /// Before the first key frame and after a loss, a picture belongs to no group.
  @Test func onlyAKeyFrameBeginsAGroup() throws {
    var groups = CodedGroups(stream)
    #expect(groups.needsKeyFrame)
    let early = groups.add(buffer(), isKeyFrame: false)
    #expect(early == nil)
    let (first, second) = (groups.add(buffer(), isKeyFrame: true), groups.add(buffer(), isKeyFrame: false))
    let (key, next) = (try #require(first), try #require(second))
    #expect(key.place == 0 && next.place == 1 && key.group === next.group)
    groups.lose()
    let (orphan, third) = (groups.add(buffer(), isKeyFrame: false), groups.add(buffer(), isKeyFrame: true))
    #expect(orphan == nil)
    let other = try #require(third)
    #expect(other.place == 0 && other.group !== key.group)
  }

  /// A decoder goes on from one picture to the next, and with any key frame.
  @Test func linksTellWhichPictureFollows() {
    var groups = CodedGroups(stream)
    let links = [true, false, false, true].compactMap { groups.add(buffer(), isKeyFrame: $0)?.link }
    #expect(links.map(\.isKeyFrame) == [true, false, false, true])
    #expect(links[1].continues(links[0]) && links[2].continues(links[1]))
    #expect(!links[2].continues(links[0]) && !links[1].continues(nil))
    #expect(links[3].continues(links[0]) && links[3].continues(nil))
    var foreign = links[1]
    foreign.chain += 1
    #expect(!foreign.continues(links[0]))
  }

  /// A picture needs all pictures of its group before it, which the group keeps as long as a picture of it lives.
  @Test func aGroupHasItsPicturesInOrder() {
    var groups = CodedGroups(stream)
    let buffers = (0..<4).map { _ in buffer() }
    let pictures = buffers.enumerated().compactMap { groups.add($1, isKeyFrame: $0 == 0) }
    #expect(pictures[3].group.pictures(1...3).map(ObjectIdentifier.init) == buffers[1...].map(ObjectIdentifier.init))
    #expect(pictures[3].group.pictures(0...4).isEmpty)
  }

  /// A camera that never sends another key frame must not fill the memory. Buffers have whole pages.
  @Test func aGroupIsBounded() {
    var groups = CodedGroups(stream)
    let buffer = buffer()
    var count = groups.add(buffer, isKeyFrame: true) == nil ? 0 : 1
    while groups.add(buffer, isKeyFrame: false) != nil { count += 1 }
    #expect(count == 3600 && groups.needsKeyFrame && groups.isHalfFull)
    let next = groups.add(buffer, isKeyFrame: true)
    #expect(next?.place == 0 && !groups.isHalfFull)
    let large = FramePool(budget: 1 << 20).take(1 << 20)!.freeze(count: 1 << 20)
    count = 1
    while groups.add(large, isKeyFrame: false) != nil { count += 1 }
    #expect(count == 17)
  }

  /// Once a picture cannot be decoded, neither can those after it.
  @Test func damageLastsToTheEndOfTheGroup() throws {
    var groups = CodedGroups(stream)
    let added = groups.add(buffer(), isKeyFrame: true)
    let group = try #require(added).group
    #expect(!group.isDamaged(at: 0))
    group.markDamaged(at: 5)
    group.markDamaged(at: 7)
    #expect([4, 5, 6, 100].map(group.isDamaged) == [false, true, true, true])
  }

  @Test func aWishForAKeyFrameIsTakenOnce() {
    #expect(!stream.takeRequest())
    stream.requestKeyFrame()
    stream.requestKeyFrame()
    #expect(stream.takeRequest())
    #expect(!stream.takeRequest())
  }
}

/// The heads of the units of a coded picture.
@Suite struct AccessUnitTests {
  private func unit(_ headers: [UInt8], _ format: PixelFormat, onlyHead: Bool = false) -> AccessUnit {
    let bytes = headers.flatMap { [0, 0, 1, $0, 1, 0x80] as [UInt8] }
    return bytes.withUnsafeBytes { AccessUnit($0, format, onlyHead: onlyHead) }
  }

  /// The arguments are the types of the units in HEVC, and whether a decoder can begin with the picture.
  @Test(arguments: [([19], true), ([20], true), ([21], true), ([1], false), ([0], false), ([9], false)])
  func randomAccessPointsOfHEVCAreKeyFrames(types: [UInt8], isKeyFrame: Bool) {
    let found = unit(types.map { $0 << 1 }, .hevc)
    #expect(found.hasPicture && found.isKeyFrame == isKeyFrame)
  }

  @Test func hevcHasParameterSetsOfThreeKinds() {
    let all = unit([32, 33, 34, 19].map { $0 << 1 }, .hevc)
    #expect(all.hasParameterSets && all.sets.count == 18)
    #expect(!unit([33, 34, 19].map { $0 << 1 }, .hevc).hasParameterSets)
    // In H.264 the same bytes are other units.
    #expect(!unit([32, 33, 34, 19].map { $0 << 1 }, .h264).hasParameterSets)
  }

  /// Cameras send each kind of set in a buffer of its own, repeat some of them, and begin anew with another sequence.
  @Test func parameterSetsOfSeveralBuffersAreKept() {
    var sets = ParameterSets()
    for type in [32, 33, 34, 34] as [UInt8] { sets.add(unit([type << 1], .hevc)) }
    #expect(sets.count == 18)
    sets.add(unit([33 << 1], .hevc))
    #expect(sets.count == 12)
    var h264 = ParameterSets()
    for type in [0x67, 0x68, 0x68] as [UInt8] { h264.add(unit([type], .h264)) }
    #expect(h264.bytes == [0, 0, 1, 0x67, 1, 0x80, 0, 0, 1, 0x68, 1, 0x80])
  }

  /// The head of the first slice tells everything, so that the rest of a picture need not be read.
  @Test func theHeadEndsWithTheFirstSlice() {
    let head = unit([0x67, 0x68, 0x65, 0x68], .h264, onlyHead: true)
    #expect(head.isKeyFrame && head.hasParameterSets && head.sets.count == 12)
  }

  @Test func parameterSetsWithoutAPictureAreNoPicture() {
    let found = unit([0x67, 0x68], .h264, onlyHead: true)
    #expect(!found.hasPicture && found.hasParameterSets)
  }
}
