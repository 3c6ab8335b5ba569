import Glibc
import Testing

/// A process that plays a sine of 1,000 Hz on the output of `snd-aloop` which the input `hw:Loopback,1` hears.
struct LoopbackPlayer {
  private let process: pid_t

  /// Starts the player. It plays the format that ``ALSAPCM`` prefers, because both ends must have the same.
  init() throws {
    let command = "exec speaker-test -D hw:Loopback,0 -c 2 -r 48000 -F FLOAT_LE -t sine -f 1000 >/dev/null 2>&1"
    var process = pid_t()
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup(command), nil]
    defer { for argument in arguments { free(argument) } }
    let error = posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ)
    try #require(error == 0)
    self.process = process
  }

  /// Ends the player and waits until the output is free. The signal is one that nobody can block, because the player
  /// inherits the blocked signals of a thread of Swift's concurrency.
  func stop() {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
