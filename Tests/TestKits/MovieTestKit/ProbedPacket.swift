internal import Testing

/// A packet of a file, as ffprobe tells it.
public struct ProbedPacket: Equatable {
  /// The times in ticks of the container.
  public var time: Int64
  /// When the packet must be decoded, in ticks.
  public var decodeTime: Int64
  /// How long the packet is shown, in ticks; nil when the file does not tell.
  public var duration: Int64?
  /// Whether a decoder can begin with the packet.
  public var isKeyFrame: Bool

  /// The packets of the first track of a file, and how many ticks a second has.
  public static func packets(_ path: String) throws -> (packets: [ProbedPacket], ticks: Int64) {
    let stream = try #require(try MediaTools.probe(path, "stream=time_base").first?["time_base"])
    let ticks = try #require(Int64(stream.dropFirst(2)))
    let packets = try MediaTools.probe(path, "packet=pts,dts,duration,flags").map { entry in
      ProbedPacket(
        time: try #require(entry["pts"].flatMap { Int64($0) }),
        decodeTime: try #require(entry["dts"].flatMap { Int64($0) }),
        duration: entry["duration"].flatMap { Int64($0) }, isKeyFrame: entry["flags"]?.hasPrefix("K") ?? false)
    }
    return (packets, ticks)
  }
}
