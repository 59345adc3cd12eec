import Coordination
package import Foundation

/// A program that was started with `posix_spawn`.
///
/// Foundation's `Process` is not used, because it crashes (in `memcpy`) in a test run with this many open files.
package struct ChildProcess: Sendable {
    package let id: pid_t

    /// - Parameters:
    ///   - output: File for its standard output.
    ///   - errors: File for its standard error.
    ///   - environment: Variables in addition to those of this process.
    package init(
        _ path: String, _ arguments: [String], output: FileHandle, errors: FileHandle, environment added: [String: String] = [:]
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output.fileDescriptor, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.fileDescriptor, STDERR_FILENO)
        for descriptor in STDERR_FILENO + 1...Self.lastDescriptor { posix_spawn_file_actions_addclose(&actions, descriptor) }
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let environment = ProcessInfo.processInfo.environment.merging(added) { $1 }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + environment).forEach { free($0) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, path, &actions, nil, argv, environment)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
        self.id = id
    }

    /// The highest open descriptor plus a margin, because other threads open files meanwhile. Closing a descriptor that is not open has no
    /// effect.
    private static var lastDescriptor: Int32 {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return min((open.compactMap { Int32($0) }.max() ?? STDERR_FILENO) + 256, Int32(clamping: sysconf(Int32(_SC_OPEN_MAX))) - 1)
    }

    /// Waits until the process ends.
    ///
    /// - Returns: Its exit code, or the number of the signal that terminated it.
    package func end() async -> Int32 {
        let (code, signal) = await ending()
        return signal == 0 ? code : signal
    }

    /// Waits until the process ends.
    ///
    /// - Returns: Its exit code, and the number of the signal that terminated it; 0 for none.
    package func ending() async -> (code: Int32, signal: Int32) {
        await onNewThread { [id] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) == -1, errno == EINTR {}
            return ((status >> 8) & 0xff, status & 0x7f)
        }
    }
}
