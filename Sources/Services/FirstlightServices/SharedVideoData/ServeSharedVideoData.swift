internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import GoogleRPC
public import LocalTransport
internal import FrameDelivery
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
        let status = (ErrorMapping.rpcError(cause) ?? cause as? RPCError ?? RPCError(.internal, "\(cause)")).status(
          domain: ErrorMapping.domain)
        _ = Self.send(.with { $0.error = status }, on: connection)
      }
    }
    program.end(CancellationError())
  }

  private func serve(_ program: SharedReader, _ connection: LocalConnection) async throws {
    let open = try await program.opened(within: .seconds(5))
    try await access.check(
      connection.principal, calling: Firstlight_V1_VideoDataService.streamVideoData,
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
