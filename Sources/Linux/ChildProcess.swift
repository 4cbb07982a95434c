// Runs a program to get its output. Only commands use this; the daemon starts no programs.

internal import CLinux
public import Time

public enum ChildProcess {
  /// The program's output, whatever its exit status. Nil if PATH has no such program or it does not
  /// end in time; then it is killed.
  public static func output(of command: [String], before deadline: MonotonicTime) -> String? {
    guard !command.isEmpty, let ends = try? pipeEnds() else { return nil }
    let reading = FileDescriptor(owning: ends.reading)
    let process = start(command, output: FileDescriptor(owning: ends.writing))
    guard process > 0 else { return nil }
    let output = whole(reading, before: deadline)
    if output == nil { _ = kill(process, SIGKILL) }
    // Reaps the child; the exit status is not needed.
    while waitpid(process, nil, 0) < 0, cyclometer_errno() == EINTR {}
    return output
  }

  /// The writing end is closed here, so that end of file means the program has ended.
  private static func start(_ command: [String], output: consuming FileDescriptor) -> Int32 {
    // C requires mutable strings, so they are copied. They live until the child has its own copies.
    var words = unsafe command.map { unsafe strdup($0) }
    unsafe words.append(nil)
    let process = unsafe cyclometer_spawn(words, output.number)
    unsafe words.forEach { unsafe free($0) }
    return process
  }

  private static func whole(_ reading: borrowing FileDescriptor, before deadline: MonotonicTime) -> String? {
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while (try? Waiting.untilReadable(reading.number, deadline: deadline)) == true {
      guard case .done(let count)? = try? reading.read(into: &chunk) else { return nil }
      if count == 0 { return String(decoding: content, as: UTF8.self) }
      content += chunk[..<count]
    }
    return nil
  }

  private static func pipeEnds() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two numbers into the array of two.
    try systemCall("pipe") { unsafe pipe(&ends) }
    for end in ends { _ = cyclometer_fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
