public import CaptureCore
public import GRPCTransport

/// Frame memory goes to the socket as it is: the buffer never changes, and lives until gRPC has let go of it.
extension FrameBuffer: LentPayload {}
