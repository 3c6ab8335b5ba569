import CaptureCore
import Glibc
import Testing

@testable import V4L2Capture

/// What the operator is told to do.
@Suite struct AccessRefusalTests {
  private func message(_ errno: Int32, _ group: AccessRefusal.Group?, user: String? = "ann") -> String {
    AccessRefusal(path: "/dev/video0", errno: Errno(errno), group: group, user: user).error(device: "cam").message
  }

  @Test func theCommandThatMendsItIsNamed() {
    #expect(
      message(EACCES, .named("video")) == """
        The daemon, which runs as ann, may not open cam (/dev/video0: EACCES). Run `sudo usermod -aG video ann`, then log in \
        again or restart the service; in a container, start it with `--group-add video`.
        """)
    #expect(message(EACCES, .numbered(44)).contains("`--group-add 44`"))
    #expect(!message(EACCES, .numbered(44)).contains("usermod"), "which knows groups by name")
    #expect(message(EACCES, .named("video"), user: nil).contains("`--group-add video`"))
    #expect(message(EACCES, nil).contains("`sudo setfacl -m u:ann:rw /dev/video0`"))
    #expect(message(EPERM, .named("video")).contains("`--device /dev/video0`"))
  }

  @Test func theValuesOfTheMessageAreItsMetadata() {
    let error = AccessRefusal(path: "/dev/video0", errno: Errno(EACCES), group: .named("video"), user: "ann")
      .error(device: "cam")
    #expect(error.reason == .deviceAccessDenied)
    #expect(
      error.metadata == [
        "device": "cam", "node": "/dev/video0", "call": "open", "errno": "EACCES", "group": "video", "user": "ann",
      ])
  }

  @Test func theGroupIsOneThatHelps() {
    let files = TemporaryTree()
    files.write("dev/video0")
    let path = files.root + "/dev/video0"
    func group() -> AccessRefusal.Group? { AccessRefusal(of: path, Errno(EACCES)).group }
    // Only root may give a file to a group that is not its own.
    let isRoot = geteuid() == 0
    if isRoot { chown(path, 0, 65533) }
    chmod(path, 0o600)
    #expect(group() == nil, "its group may not open it either")
    chmod(path, 0o640)
    #expect(group() == nil, "nor write it, without which nothing can be set")
    chmod(path, 0o660)
    guard isRoot else { return #expect((group() != nil) == (getegid() != 0)) }
    #expect(group() == .numbered(65533))
    chown(path, 0, 0)
    #expect(group() == nil, "nobody is told to join root")
  }
}
