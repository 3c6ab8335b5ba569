import SystemFiles
import VideoCoding

extension MovieFileSink {
  /// Makes a sink of a descriptor as the C library gives it. The sink closes it.
  convenience init(owning number: Int32) { self.init(Descriptor(owning: number)) }
}
