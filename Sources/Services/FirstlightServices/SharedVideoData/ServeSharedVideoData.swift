internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import FrameDelivery
internal import GoogleRPC
public import LocalTransport
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks
internal import SystemPressure

extension CameraServices {
  /// Serves a program on the local socket: gives the program the frames that it asks for, in shared memory.
  ///
  /// Returns when the program is gone, breaks the protocol or does not read the daemon's packets, when the stream of
  /// frames ends, or when the task is cancelled. If an error ends the stream, the error is the last packet to the
  /// program. The caller closes `connection` afterwards.
  public func serveSharedVideoData(_ connection: LocalConnection) async {
    let program = SharedReader()
    do {
      try connection.start(onPacket: { program.receive($0) }, onEnd: { program.end(CancellationError()) })
      try await serve(program, connection)
    } catch {
      let cause = program.ending ?? error
      if !(cause is CancellationError) {
        let known = ErrorMapping.rpcError(cause) ?? cause as? RPCError
        let status = (known ?? RPCError(.internal, ErrorMapping.message(of: cause))).status(domain: ErrorMapping.domain)
        _ = Self.send(.with { $0.error = status }, on: connection)
      }
    }
    program.end(CancellationError())
  }

  private func serve(_ program: SharedReader, _ connection: LocalConnection) async throws {
    let open = try await program.opened(within: .seconds(5))
    let peer = connection.peer
    let process = PeerCredentials(processID: peer.processID, userID: peer.userID, groupID: peer.groupID)
    try await access.check(
      .process(process), calling: Firstlight_V1_VideoDataService.streamVideoData,
      with: Firstlight_V1_StreamVideoDataRequest.with { ($0.session, $0.output) = (open.session, open.output) })
    let session = try await sessions.session(named: open.session, field: "session")
    let output = try await session.output(open.output, as: VideoDataOutput.self, named: "video data")
    // The packets do not contain the bytes of frames, so the message limit must not refuse any frame. It therefore has
    // its highest value, 256 MiB.
    let reader = try output.attach(VideoDataRequest(maxMessageBytes: 256 << 20, asksForFrames: true))
    defer { reader.detach() }
    program.attach(reader)
    var mappings = MappingTable()
    var lost = DropCounts()
    try await session.whileViewed(since: .now()) {
      while true {
        // `next` gives only frames that the program asked for. Other frames wait in the reader's slot, or count as late
        // there.
        switch try await reader.next() {
        case .status(let status):
          guard Self.send(.with { $0.status = status.proto }, on: connection) else { return }
        case .frame(let captured, let dropped, _):
          lost += dropped
          let buffer = captured.frame.buffer
          let held = program.held
          guard held.count < held.maximum, reader.mayKeep(captured.frame, besides: held.count),
            let descriptor = buffer.slab.descriptor
          else {
            // The frame is lost for the program: the program holds as many frames as it may, or other readers need the
            // memory, or the memory cannot be shared. The program is still owed a frame, so the reader is asked for
            // another one.
            lost += reader.loss(of: captured.frame)
            reader.ask(1)
            continue
          }
          guard let lease = program.lend(buffer) else { return }
          let (mapping, isNew) = mappings.place(buffer.slab.number, keeping: program.heldSlabs)
          let message = Firstlight_V1_SharedVideoDataResponse.with {
            $0.frame.frame = captured.videoData(dropped: lost, temperature: pressure.current.readings.warmest)
            $0.frame.lease = lease
            $0.frame.mapping = UInt32(mapping)
            if isNew { $0.frame.mappingBytes = UInt64(buffer.slab.capacity) }
            $0.frame.dataBytes = UInt64(buffer.count)
          }
          lost = DropCounts()
          guard Self.send(message, on: connection, with: isNew ? descriptor : nil) else { return }
        }
      }
    }
  }

  private static func send(
    _ response: Firstlight_V1_SharedVideoDataResponse, on connection: LocalConnection, with descriptor: Int32? = nil
  ) -> Bool {
    guard let packet: [UInt8] = try? response.serializedBytes() else { return false }
    return connection.send(packet, with: descriptor)
  }
}

/// Records which slab each of a program's mappings contains. The daemon sends the descriptor of a slab only when the
/// program has not mapped the slab, and the program maps at most ``capacity`` slabs. A value.
struct MappingTable: Sendable {
  /// The number of mappings that a program keeps.
  static let capacity = 64

  private struct Entry: Sendable {
    var slab: UInt64
    var lastUse: UInt64
  }
  private var entries: [Entry] = []
  private var uses: UInt64 = 0

  /// Returns the number of the mapping that contains a slab. A slab that no mapping contains gets a free mapping, or
  /// else takes the place of the slab that was used least recently.
  ///
  /// - Parameters:
  ///   - slab: the number of the slab.
  ///   - held: the numbers of slabs that keep their mappings, because the program holds frames in these slabs. There
  ///     must be fewer than ``capacity``.
  /// - Returns: the number of the mapping, and whether the program must map the slab there now.
  mutating func place(_ slab: UInt64, keeping held: Set<UInt64> = []) -> (mapping: Int, isNew: Bool) {
    uses += 1
    if let known = entries.firstIndex(where: { $0.slab == slab }) {
      entries[known].lastUse = uses
      return (known, false)
    }
    let entry = Entry(slab: slab, lastUse: uses)
    if entries.count < Self.capacity {
      entries.append(entry)
      return (entries.count - 1, true)
    }
    let free = entries.indices.filter { !held.contains(entries[$0].slab) }
    let oldest = free.min { entries[$0].lastUse < entries[$1].lastUse } ?? 0
    entries[oldest] = entry
    return (oldest, true)
  }
}
