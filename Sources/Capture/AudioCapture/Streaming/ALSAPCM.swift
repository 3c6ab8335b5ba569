internal import CALSA
internal import CaptureCore
internal import Glibc
internal import HotPlug
internal import SystemClocks

/// An input that ALSA reads.
final class ALSAPCM: PCM, @unchecked Sendable {
  // Unchecked: only the capture thread uses `capture`, and `wakeup` is thread-safe.
  private let capture: OpaquePointer
  private let format: AudioFormat
  private let wakeup: Wakeup

  /// Opens and starts an input.
  ///
  /// - Parameter name: as alsa-lib spells it, such as `hw:0,0`.
  init(_ name: String, _ format: AudioFormat) throws(PCMError) {
    guard let wakeup = Wakeup() else { throw PCMError(call: "eventfd", errno: errno) }
    var capture: OpaquePointer?
    var call = UnsafePointer<CChar>?.none
    let error = withUnsafeMutablePointer(to: &call) { call in
      call.withMemoryRebound(to: UnsafePointer<CChar>.self, capacity: 1) {
        calsa_capture_open(name, UInt32(format.sampleRate), UInt32(format.channelCount), &capture, $0)
      }
    }
    guard error == 0, let capture else {
      throw PCMError(call: call.map { String(cString: $0) } ?? "snd_pcm_open", errno: -error)
    }
    (self.capture, self.format, self.wakeup) = (capture, format, wakeup)
  }

  func wait(until deadline: MonotonicInstant) throws(PCMError) -> Bool {
    // Rounded up, because a wait that ends just before its deadline would be followed by one of 0 ms.
    let milliseconds = (deadline.nanoseconds(since: .now()) + 999_999) / 1_000_000
    let result = calsa_capture_wait(capture, wakeup.descriptor, Int32(clamping: milliseconds))
    guard result >= 0 else { throw PCMError(call: "poll", errno: -result) }
    wakeup.clear()
    return result > 0
  }

  func read() throws(PCMError) -> PCMReading? {
    let capacity = format.sampleRate / 10
    var (time, position) = (UInt64(0), UInt64(0))
    var result = 0
    let samples = [Float](unsafeUninitializedCapacity: capacity * format.channelCount) { samples, count in
      result = calsa_capture_read(capture, samples.baseAddress!, capacity, &time, &position)
      count = max(0, result) * format.channelCount
    }
    guard result >= 0 else { throw PCMError(call: "snd_pcm_readi", errno: Int32(-result)) }
    if result == 0 { return nil }
    return PCMReading(samples: samples, time: MonotonicInstant(nanoseconds: time), position: position)
  }

  func restart() throws(PCMError) {
    let result = calsa_capture_restart(capture)
    guard result >= 0 else { throw PCMError(call: "snd_pcm_prepare", errno: -result) }
  }

  func rest(until deadline: MonotonicInstant) {
    var waiting = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = (deadline.nanoseconds(since: .now()) + 999_999) / 1_000_000
    _ = poll(&waiting, 1, Int32(clamping: milliseconds))
  }

  func close() { calsa_capture_close(capture) }

  func wake() { wakeup.signal() }
}
