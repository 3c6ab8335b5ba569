internal import CALSA
internal import CaptureCore
internal import Glibc
internal import SystemClocks

/// The stream of samples of one microphone, as the capture thread uses it. The thread makes all calls but ``wake()``.
protocol PCM: AnyObject, Sendable {
  /// Waits until there are samples to read.
  ///
  /// - Returns: false when `deadline` passed or ``wake()`` was called before.
  func wait(until deadline: MonotonicInstant) throws(PCMError) -> Bool
  /// Takes the samples that there are; nil when there are none.
  func read() throws(PCMError) -> PCMReading?
  /// Starts the stream again after ``PCMError/loss``. Positions then count from 0. Fails with `ESTRPIPE` while the card
  /// is still suspended.
  func restart() throws(PCMError)
  /// Waits until `deadline` whatever the card does, or until ``wake()`` was called.
  func rest(until deadline: MonotonicInstant)
  /// Ends the stream and frees the microphone.
  func close()
  /// Ends a wait. Any thread may call this method.
  func wake()
}

/// What one read from a sound card gave.
struct PCMReading: Hashable, Sendable {
  /// The samples, from -1 to 1, interleaved.
  var samples: [Float]
  /// An instant, and how many samples of each channel the card had captured by then, since the start or the restart.
  var time: MonotonicInstant
  var position: UInt64
}

/// A call to a sound card that failed.
struct PCMError: Error, Hashable {
  /// The name of the call, as alsa-lib spells it.
  var call: String
  var errno: Int32

  /// What made the stream lose samples, for an error after which the stream can be started again. Nil for other errors.
  var loss: AudioLoss.Cause? {
    switch errno {
    case EPIPE: .overrun
    case ESTRPIPE: .suspended
    default: nil
    }
  }

  /// The symbolic name of the errno, such as `EBUSY`.
  var name: String { String(cString: calsa_error_name(errno)) }

  /// The error to report.
  func error(device: String) -> CaptureError {
    let metadata = ["device": device, "call": call, "errno": name]
    let because = "(\(call): \(name))"
    return switch errno {
    case EBUSY, EAGAIN:
      CaptureError(
        .deviceInUse, "\(device) is in use by another program; stop that one first \(because).", metadata: metadata)
    case ENODEV, ENOENT, ENXIO, EBADFD, ESHUTDOWN:
      CaptureError(.deviceDisconnected, "\(device) is no longer connected \(because).", metadata: metadata)
    case EACCES, EPERM:
      CaptureError(
        .deviceAccessDenied, "The daemon may not use \(device); add its user to the group audio \(because).",
        metadata: metadata)
    case EINVAL:
      CaptureError(
        .formatNotSupported, "\(device) does not deliver sound in this form; name another audio_format \(because).",
        metadata: metadata)
    case ENOSPC:
      CaptureError(
        .bandwidthExceeded,
        "The USB bus has no room for \(device); plug it into another one, or name fewer channels or a lower rate "
          + "\(because).", metadata: metadata)
    case ETIMEDOUT:
      CaptureError(
        .deviceNotResponding,
        "\(device) is connected and does not answer; if this lasts, unplug it and plug it in again \(because).",
        metadata: metadata)
    default:
      CaptureError(.deviceFailed, "\(device) failed; start it again \(because).", metadata: metadata)
    }
  }
}

extension CaptureError {
  /// The `deviceNotResponding` error for a microphone that is connected and gives no samples.
  ///
  /// - Parameter silence: for how many nanoseconds no sample has come.
  static func silent(microphone device: String, for silence: UInt64) -> CaptureError {
    let tenths = silence / 100_000_000
    let seconds = "\(tenths / 10).\(tenths % 10)"
    return CaptureError(
      .deviceNotResponding,
      "\(device) is connected and delivered no sound for \(seconds) s; unplug the microphone and plug it in again.",
      metadata: ["device": device, "silent_seconds": seconds])
  }

  static func notFound(microphone id: String) -> CaptureError {
    CaptureError(
      .deviceNotFound, "There is no microphone \(id); ListDevices tells which there are.", metadata: ["device": id])
  }

  static func notSupported(_ format: AudioFormat, by microphone: Microphone) -> CaptureError {
    let rates = microphone.sampleRates.map(String.init).joined(separator: ", ")
    let channels = microphone.channelCounts.map(String.init).joined(separator: ", ")
    return CaptureError(
      .formatNotSupported,
      "\(microphone.id) does not deliver \(format.channelCount) channels at \(format.sampleRate) Hz; choose a rate "
        + "of \(rates) Hz and \(channels) channels.",
      metadata: [
        "device": microphone.id, "sample_rate": "\(format.sampleRate)", "channel_count": "\(format.channelCount)",
        "sample_rates": rates, "channel_counts": channels,
      ])
  }
}
