import Foundation
import Soak

@testable import BridgeConfiguration
@testable import Server

/// `dualgauge serve` in a folder of its own, supervised, with checks of its process.
final class FuzzedBridge: Sendable {
    struct NotServing: Error {
        let log: String
    }

    /// Its working folder, if it is its own.
    private let folder: TemporaryFolder?
    private let supervisor: ChildProcess
    private let ended: Task<Int32, Never>
    private let log: FuzzLog
    private let ports: [PortKind: Int]

    /// The process that serves.
    let served: pid_t

    /// Serves a configuration in a folder of its own, with further files.
    convenience init(configuration: String, files: [String: String] = [:]) async throws {
        let folder = try TemporaryFolder()
        for (name, text) in files { _ = try folder.write(text, to: name) }
        try await self.init(configurationAt: try folder.write(configuration, to: "dualgauge.yaml"), in: folder)
    }

    /// Returns when its log has the addresses.
    ///
    /// - Throws: ``NotServing`` if it ends before.
    init(configurationAt file: String, in folder: TemporaryFolder? = nil) async throws {
        self.folder = folder
        let errors = try ChildOutput()
        let supervisor = try ChildProcess(
            try Program.path(), ["serve", "--config", file], output: .nullDevice, errors: errors.writing)
        self.supervisor = supervisor
        try errors.writing.close()
        ended = Task { await supervisor.end() }
        log = FuzzLog(errors.texts)
        let watchdog = Task {
            try await Task.sleep(for: .seconds(FuzzSettings.programTimeout))
            Foundation.kill(supervisor.id, SIGKILL)
        }
        let line = await log.listening()
        watchdog.cancel()
        guard let line, let found = line.firstMatch(of: /public=127\.0\.0\.1:(\d+)/), let port = Int(found.1),
            let admin = line.firstMatch(of: /admin=127\.0\.0\.1:(\d+)/), let adminPort = Int(admin.1),
            let served = Self.child(of: supervisor.id)
        else {
            Foundation.kill(supervisor.id, SIGKILL)
            throw NotServing(log: log.end)
        }
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

    /// The resident memory of the process in bytes; `nil` after its end.
    var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(served)/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// The visible fault of the process; `nil` for none.
    var trouble: String? {
        guard let bytes = residentBytes, Self.child(of: supervisor.id) == served else {
            return "the process that served has ended:\n\(log.end)"
        }
        let limit = FuzzSettings.memory + FuzzSettings.besides
        return bytes > limit ? "the process takes \(bytes >> 20) MiB of memory; \(limit >> 20) are more than enough" : nil
    }

    /// Stops it as an operator does, and checks the remaining files.
    ///
    /// - Parameter stores: The databases whose stores are checked.
    /// - Returns: The faults; empty for none.
    func stop(_ stores: [String]) async throws -> [String] {
        var troubles = [trouble].compactMap(\.self)
        kill(supervisor.id, SIGTERM)
        let watchdog = Task { [supervisor, served] in
            try await Task.sleep(for: .seconds(FuzzSettings.timeout))
            kill(served, SIGKILL)
            kill(supervisor.id, SIGKILL)
        }
        let code = await ended.value
        watchdog.cancel()
        if code != 0 { troubles.append("serve ended with \(code) at SIGTERM:\n\(log.end)") }
        troubles += log.faults
        for store in stores {
            let check = try await Program.run("check", "\(folder?.path ?? ".")/\(store).dualgauge")
            if check.code != 0 { troubles.append("check of \(store): \(check.code) \(check.output)\(check.errors)") }
        }
        return troubles
    }
}
