import Foundation
import Soak

/// The built `dualgauge`, run as users run it.
final class Program: Sendable {
    struct Missing: Error {}

    struct Result: Sendable {
        let code: Int32
        let output: String
        let errors: String
    }

    /// The program beside the tests in the build folder.
    static func path() throws -> String {
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("dualgauge").path
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let candidates = [beside, root.appendingPathComponent(".build/debug/dualgauge").path]
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { throw Missing() }
        return found
    }

    /// Runs a command to its end.
    static func run(_ arguments: String...) async throws -> Result { try await run(arguments) }

    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Result {
        let folder = try TemporaryFolder()
        let (out, err) = (try folder.write("", to: "out"), try folder.write("", to: "err"))
        guard let output = FileHandle(forWritingAtPath: out), let errors = FileHandle(forWritingAtPath: err) else { throw Missing() }
        let code = try await ChildProcess(
            try path(), arguments, output: output, errors: errors, environment: environment
        ).end()
        return Result(
            code: code, output: try String(contentsOfFile: out, encoding: .utf8), errors: try String(contentsOfFile: err, encoding: .utf8))
    }

    /// Runs a command whose output is not read.
    static func runUnread(_ arguments: [String]) async throws -> Int32 {
        let output = try ChildOutput(isRead: false)
        let child = try ChildProcess(try path(), arguments, output: output.writing, errors: output.writing)
        try output.writing.close()
        return await child.end()
    }

    let port: Int
    let adminPort: Int
    private let process: ChildProcess
    private let ended: Task<Int32, Never>

    /// Its log from then on.
    private let log: LineReader

    /// Starts `serve` and returns when its log has the addresses.
    ///
    /// - Parameter prelude: The shell commands before the program replaces the shell.
    init(serving config: String, _ options: String..., environment: [String: String] = [:], after prelude: String = ":") async throws {
        let errors = try ChildOutput()
        // A server that outlives its test would keep the test runner's output open, and the runner would wait for it.
        let process = try ChildProcess(
            "/bin/sh", ["-c", "\(prelude); exec \"$0\" \"$@\"", try Self.path(), "serve", "--config", config] + options,
            output: .nullDevice,
            errors: errors.writing, environment: environment)
        try errors.writing.close()
        log = LineReader(errors.texts)
        let line = try await log.line { $0.contains("public=127.0.0.1:") }
        guard let found = line.firstMatch(of: /public=127\.0\.0\.1:(\d+)/), let port = Int(found.1),
            let admin = line.firstMatch(of: /admin=127\.0\.0\.1:(\d+)/), let adminPort = Int(admin.1)
        else { throw RawSocket.Failure(message: "serve says not where: \(line)") }
        self.port = port
        self.adminPort = adminPort
        self.process = process
        ended = Task { await process.end() }
    }

    var adminURL: String { "http://127.0.0.1:\(adminPort)" }

    /// Makes it read its configuration again.
    ///
    /// - Returns: The first later line of its log with one of the texts.
    func reload(until texts: String...) async throws -> String {
        _ = Foundation.kill(process.id, SIGHUP)
        return try await log.line { line in texts.contains { line.contains($0) } }
    }

    /// The next line of its log with a text.
    func logged(_ text: String) async throws -> String { try await log.line { $0.contains(text) } }

    /// Sets the system's limit of open files for the process.
    func limitFiles(to most: Int) async throws {
        let code = try await ChildProcess(
            "/usr/bin/prlimit", ["--pid", "\(process.id)", "--nofile=\(most):"], output: .nullDevice, errors: .nullDevice
        ).end()
        guard code == 0 else { throw RawSocket.Failure(message: "no limit could be set: \(code)") }
    }

    func signal(_ number: Int32) {
        _ = Foundation.kill(process.id, number)
    }

    /// Its exit code, or the number of the signal that has ended it.
    func end() async -> Int32 { await ended.value }

    /// The serving process, if this process supervises it. Its parent can be any thread.
    var served: pid_t? {
        let threads = "/proc/\(process.id)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? []).lazy
            .compactMap { try? String(contentsOfFile: "\(threads)/\($0)/children", encoding: .utf8) }
            .compactMap { $0.split(separator: " ").first.flatMap { pid_t($0) } }.first
    }

    /// Ends it as a power failure would, and waits for the end of all its processes: the supervised process ends with it.
    func kill() async {
        _ = Foundation.kill(process.id, SIGKILL)
        _ = await ended.value
        while (try? await log.line { _ in false }) != nil {}
    }
}
