import Coordination
import Foundation

/// Runs a program to its end, with an input text, and captures its output.
///
/// Input and output are unnamed files, so that a program with long-lived children or much output does not block. Foundation's `Process`
/// crashes in processes with many open files.
struct HookProcess: Sendable {
    /// The number of captured bytes of the output.
    private static let outputSize = 8 << 10

    /// The time between SIGTERM and SIGKILL.
    private static let grace = Duration.seconds(2)

    /// The number of attempts, and the pause between them, for a program that cannot run because it is still being written.
    private static let (tries, pause) = (100, Duration.milliseconds(50))

    let path: String
    let environment: [String: String]
    let input: [UInt8]
    let timeout: Duration

    func run() async -> HookResult {
        do {
            let (reading, writing) = (try Self.scratch(input), try Self.scratch([]))
            defer {
                close(reading)
                close(writing)
            }
            let id = try await spawn(reading, writing)
            let end = await end(of: id)
            return HookResult(path: path, end: end, output: Self.text(of: writing))
        } catch {
            return HookResult(path: path, end: .notStarted("\((error as? POSIXError).map { Self.text($0) } ?? "\(error)")"), output: "")
        }
    }

    /// Starts the program. Retries on `ETXTBSY`: a file that a process has open for writing cannot be executed. That is temporary: the file
    /// was just written, or a program that this process is starting has inherited its descriptor.
    private func spawn(_ input: Int32, _ output: Int32) async throws -> pid_t {
        for _ in 1..<Self.tries {
            do { return try spawnOnce(input, output) } catch let error as POSIXError where error.code == .ETXTBSY {
                // There is no notification when the last descriptor is closed, so this retries.
                try await suspend(for: Self.pause)
            }
        }
        return try spawnOnce(input, output)
    }

    private func spawnOnce(_ input: Int32, _ output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        for descriptor in Self.openDescriptors { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The program gets its own process group, so that its children can be ended with it, and default signal handling.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGHUP, SIGINT, SIGPIPE, SIGTERM] { sigaddset(&defaults, signal) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (arguments, environment) = ([strdup(path), nil], variables.map { strdup("\($0.key)=\($0.value)") } + [nil])
        defer { (arguments + environment).forEach { free($0) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, path, &actions, &attributes, arguments, environment)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
        return id
    }

    /// The descriptors open besides standard input, output and error.
    private static var openDescriptors: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { $0 > STDERR_FILENO }
    }

    private func end(of id: pid_t) async -> HookResult.End {
        let alarm = Task { [timeout] in
            // The configured timeout, then the grace period. The task is cancelled when the program has ended.
            guard (try? await suspend(for: timeout)) != nil else { return false }
            kill(-id, SIGTERM)
            if (try? await suspend(for: Self.grace)) != nil { kill(-id, SIGKILL) }
            return true
        }
        let status = await Self.wait(for: id)
        alarm.cancel()
        if await alarm.value {
            // Ends the remaining children.
            kill(-id, SIGKILL)
            return .timedOut
        }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
    }

    private static func wait(for id: pid_t) async -> Int32 {
        await onNewThread {
            var status: Int32 = 0
            while waitpid(id, &status, 0) == -1, errno == EINTR {}
            return status
        }
    }

    /// An unnamed file with some bytes, positioned at its start.
    private static func scratch(_ bytes: [UInt8]) throws -> Int32 {
        // `mkstemp` replaces the last six letters.
        var template = Array("\(NSTemporaryDirectory())/dualgauge-hook.XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unlink(template)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                let code = errno
                close(descriptor)
                throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
            }
            written += count
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    private static func text(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: outputSize)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func text(_ error: POSIXError) -> String { String(cString: strerror(error.code.rawValue)) }
}
