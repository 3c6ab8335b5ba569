internal import CaptureCore
internal import Glibc
internal import HotPlug
internal import Locking
internal import SystemClocks

/// The provider's own thread, which looks for microphones and waits for microphones that come and go.
final class MicrophoneDiscovery: Sendable {
  private struct State {
    /// Nil before the thread has looked the first time.
    var entries: [MicrophoneRoster.Entry]?
    var waiting: [CheckedContinuation<[MicrophoneRoster.Entry], Never>] = []
    var isStopped = false
  }

  private let state = Locked(State())
  private let wakeup: Wakeup?
  private let changed: Broadcast<MicrophoneChange>

  /// Starts the thread. Without a thread or a descriptor there are no microphones.
  init(_ finder: InputFinder, _ directory: DeviceDirectory, _ changed: Broadcast<MicrophoneChange>) {
    self.changed = changed
    wakeup = Wakeup()
    do throws(CaptureError) {
      guard wakeup != nil else { throw CaptureError(.processingFailed, "") }
      try WorkerThread.start(name: "alsa devices") { [self] in run(finder, MicrophoneRoster(directory)) }
    } catch { publish([]) }
  }

  /// Ends the thread.
  func stop() {
    state.withLock { $0.isStopped = true }
    wakeup?.signal()
  }

  /// The microphones as the thread last saw them. Waits only until the thread has looked for the first time.
  func entries() async -> [MicrophoneRoster.Entry] {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state in
        if state.entries == nil { state.waiting.append(continuation) }
        return state.entries
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  private func publish(_ entries: [MicrophoneRoster.Entry]) {
    let waiting = state.withLock { state in
      state.entries = entries
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: entries) }
  }

  private func run(_ finder: InputFinder, _ first: MicrophoneRoster) {
    var roster = first
    // The monitor starts before the first look, so that no event is missed.
    let folder = finder.tree.deviceDirectory
    let monitor = HotplugMonitor(folders: [folder, folder + "/snd"], names: ["snd", "pcmC"], subsystem: "sound")
    var waiting = (monitor.descriptors + [wakeup!.descriptor]).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    var (mustLook, isProbe) = (true, false)
    var schedule = ProbeSchedule()
    while !state.withLock(\.isStopped) {
      if mustLook {
        let found = finder.find(known: roster.entries.map(\.input), asksFailed: !isProbe || schedule.asksFailed)
        let changes = roster.update(found, isProbe: isProbe)
        publish(roster.entries)
        for change in changes { changed.tell(change) }
      }
      let pause = schedule.pause(
        isWaiting: roster.isWaiting || monitor.descriptors.isEmpty, hasFailure: roster.hasFailure, afterProbe: isProbe)
      let events = poll(&waiting, nfds_t(waiting.count), pause ?? -1)
      wakeup!.clear()
      isProbe = events == 0 && pause != nil
      mustLook = monitor.drain() || isProbe
    }
  }
}

/// When the discovery thread looks again although no event tells of a change. A value.
struct ProbeSchedule: Hashable, Sendable {
  /// Milliseconds between two looks while an input is busy, because no event tells that it is free.
  static let period: Int32 = 1000
  /// The longest pause while an input fails, in milliseconds.
  static let longest: Int32 = 60_000

  private var afterFailure = period
  /// Milliseconds until failed inputs are asked again although no event comes.
  private var untilFailed = period

  /// True when the next look asks inputs that failed, too, although no event asked for that look.
  var asksFailed: Bool { untilFailed <= 0 }

  /// The pause before the next look, in milliseconds; nil to wait for an event.
  ///
  /// - Parameters:
  ///   - isWaiting: whether an input is busy or held back.
  ///   - hasFailure: whether an input failed when it was asked. It is asked again after pauses that grow.
  ///   - afterProbe: whether no event brought about the last look.
  mutating func pause(isWaiting: Bool, hasFailure: Bool, afterProbe: Bool) -> Int32? {
    if !hasFailure || !afterProbe {
      (afterFailure, untilFailed) = (Self.period, Self.period)
    } else if asksFailed {
      afterFailure = min(2 * afterFailure, Self.longest)
      untilFailed = afterFailure
    }
    guard isWaiting || hasFailure else { return nil }
    // A busy input does not let a failed one be asked more often, because a broken card may take seconds to answer.
    let pause = isWaiting ? min(Self.period, untilFailed) : untilFailed
    untilFailed -= pause
    return pause
  }
}
