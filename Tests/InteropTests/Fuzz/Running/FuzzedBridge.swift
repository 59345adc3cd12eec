import Documents
import Foundation
import Synchronization

@testable import Server

/// `dualgauge serve` in a folder of its own, supervised, and what is to be told of its process.
final class FuzzedBridge: Sendable {
    struct NotServing: Error {
        let log: String
    }

    private let folder: TemporaryFolder
    private let supervisor: ChildProcess
    private let ended: Task<Int32, Never>
    private let log: FuzzLog
    private let ports: [PortKind: Int]

    /// The process that serves.
    let served: pid_t

    init(configuration: String, environment: [String: String] = [:]) async throws {
        folder = try TemporaryFolder()
        let file = try folder.write(configuration, to: "dualgauge.yaml")
        let errors = try ChildOutput()
        supervisor = try ChildProcess(
            try Program.path(), ["serve", "--config", file], output: .nullDevice, errors: errors.writing, environment: environment)
        try errors.writing.close()
        ended = Task { [supervisor] in await supervisor.end() }
        log = FuzzLog(errors.texts)
        guard let line = await log.listening() else { throw NotServing(log: log.end) }
        guard let found = line.firstMatch(of: /public=127\.0\.0\.1:(\d+)/), let port = Int(found.1),
            let admin = line.firstMatch(of: /admin=127\.0\.0\.1:(\d+)/), let adminPort = Int(admin.1),
            let served = Self.child(of: supervisor.id)
        else { throw NotServing(log: line) }
        ports = [.public: port, .admin: adminPort]
        self.served = served
    }

    func port(_ kind: PortKind) -> Int { ports[kind] ?? 0 }

    private static func child(of id: pid_t) -> pid_t? {
        let threads = "/proc/\(id)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? []).lazy
            .compactMap { try? String(contentsOfFile: "\(threads)/\($0)/children", encoding: .utf8) }
            .compactMap { $0.split(separator: " ").first.flatMap { pid_t($0) } }.first
    }

    /// The bytes of the process that are in memory; `nil` if it is not there any more.
    var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(served)/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// What is wrong with the process, by what can be seen from outside; `nil` for nothing.
    var trouble: String? {
        guard let bytes = residentBytes, Self.child(of: supervisor.id) == served else {
            return "the process that served has ended:\n\(log.end)"
        }
        let limit = FuzzSettings.memory + FuzzSettings.besides
        return bytes > limit ? "the process takes \(bytes >> 20) MiB of memory; \(limit >> 20) are more than enough" : nil
    }

    /// Ends it as an operator does, and looks at what is left.
    ///
    /// - Returns: What is wrong; nothing where all is well.
    func stop() async throws -> [String] {
        var troubles = [trouble].compactMap(\.self)
        kill(supervisor.id, SIGTERM)
        let code = await ended.value
        if code != 0 { troubles.append("serve ended with \(code) at SIGTERM:\n\(log.end)") }
        troubles += log.faults
        for store in ["shop", "closed", "moving"] {
            let check = try await Program.run("check", "\(folder.path)/\(store).dualgauge")
            if check.code != 0 { troubles.append("check of \(store): \(check.code) \(check.output)\(check.errors)") }
        }
        return troubles
    }

    /// Ends it at once.
    func kill() async {
        kill(supervisor.id, SIGKILL)
        _ = await ended.value
    }

    private func kill(_ id: pid_t, _ signal: Int32) { _ = Foundation.kill(id, signal) }
}

/// What a bridge logs: the last lines, and those that no request may bring about.
final class FuzzLog: Sendable {
    private struct State {
        var lines: [String] = []
        var faults: [String] = []
        var isListening: CheckedContinuation<String?, Never>?
        var place: String?
        var isOver = false
    }

    private static let kept = 60
    private let state = Mutex(State())

    init(_ texts: AsyncStream<String>) {
        Task {
            var rest = ""
            for await text in texts {
                rest += text
                var lines = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                rest = lines.popLast() ?? ""
                for line in lines { note(line) }
            }
            note(rest)
            finish()
        }
    }

    private func note(_ line: String) {
        let waiting = state.withLock { state -> CheckedContinuation<String?, Never>? in
            state.lines.append(String(line.prefix(500)))
            if state.lines.count > Self.kept { state.lines.removeFirst() }
            if ["Fatal error", "Swift runtime failure", "is started again"].contains(where: { line.contains($0) }), state.faults.count < 10
            {
                state.faults.append(String(line.prefix(500)))
            }
            guard line.contains("public=127.0.0.1:"), state.place == nil else { return nil }
            state.place = line
            defer { state.isListening = nil }
            return state.isListening
        }
        waiting?.resume(returning: line)
    }

    private func finish() {
        let waiting = state.withLock { state -> CheckedContinuation<String?, Never>? in
            state.isOver = true
            defer { state.isListening = nil }
            return state.isListening
        }
        waiting?.resume(returning: nil)
    }

    /// The line that says where it listens; `nil` if it ends before.
    func listening() async -> String? {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> String?? in
                if let place = state.place { return .some(place) }
                if state.isOver { return .some(nil) }
                state.isListening = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Its last lines.
    var end: String { state.withLock { $0.lines.joined(separator: "\n") } }
    var faults: [String] { state.withLock { $0.faults } }
}
