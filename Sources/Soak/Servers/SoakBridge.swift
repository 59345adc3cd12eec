import AsyncHTTPClient
import Coordination
import Foundation
import NIOCore
import NIOHTTP1

/// `dualgauge serve` in its own process, with the library that injects faults. It runs without a supervisor, so that unexpected exits are
/// detected.
final class SoakBridge: SoakServer {
    /// Timeout of the start, on a machine with other load.
    private static let startTimeout = Duration.seconds(300)

    let port: Int
    private let troublesFile: String
    private let store: String
    private let settings: SoakSettings
    private let faults: ProcessFaults
    private let running = Lock<Running?>(nil)

    /// Exit codes and signals of processes that ended unexpectedly.
    private let deaths = Lock<[String]>([])

    private struct Running {
        let process: ChildProcess
        let end: Task<(code: Int32, signal: Int32), Never>
        var isAsked = false
    }

    var adminPort: Int { port + 1 }
    var process: pid_t { running.withLock { $0?.process.id ?? 0 } }
    var unexpectedExits: [String] { deaths.withLock { $0 } }
    private var log: String { "\(settings.folder)/serve.log" }

    init(_ settings: SoakSettings) throws {
        self.settings = settings
        // Below the ephemeral port range. Otherwise a client connection could occupy the port when the bridge restarts.
        port = Int.random(in: 10_000..<15_000) * 2
        troublesFile = "\(settings.folder)/troubles"
        store = "\(settings.folder)/soak.dualgauge"
        try Data(repeating: 0, count: 4_096).write(to: URL(fileURLWithPath: troublesFile))
        faults = try ProcessFaults(troublesFile)
        let listen = #"listen: { public: "127.0.0.1:\#(port)", admin: "127.0.0.1:\#(port + 1)" }"#
        try "\(listen)\n\(SoakDatabase.configuration(store: "./soak.dualgauge"))".write(
            toFile: "\(settings.folder)/soak.yaml", atomically: true, encoding: .utf8)
        try Data().write(to: URL(fileURLWithPath: log))
    }

    func start() async throws {
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try log.seekToEnd()
        defer { try? log.close() }
        let child = try ChildProcess(
            settings.program, ["serve", "--config", "\(settings.folder)/soak.yaml", "--no-supervisor"], output: log, errors: log,
            environment: ["LD_PRELOAD": settings.library, "DUALGAUGE_TROUBLES": troublesFile])
        let end = Task {
            let (code, signal) = await child.ending()
            let isAsked = running.withLock { $0?.process.id == child.id && $0?.isAsked == true }
            if !isAsked { deaths.withLock { $0.append(signal == 0 ? "exit code \(code)" : "signal \(signal)") } }
            return (code: code, signal: signal)
        }
        running.withLock { $0 = Running(process: child, end: end) }
        let deadline = ContinuousClock.now + Self.startTimeout
        while ContinuousClock.now < deadline, unexpectedExits.isEmpty {
            let request = HTTPClientRequest(url: "http://127.0.0.1:\(adminPort)/_ping")
            if let answer = try? await HTTPClient.shared.execute(request, timeout: .seconds(5)), answer.status == .ok { return }
            // A separate process offers no other sign of readiness than its responses.
            try await suspend(for: .milliseconds(20))
        }
        throw SoakError("the bridge does not answer; its log is \(self.log)")
    }

    func stop() async throws -> Int32 {
        let (code, signal) = try await end(by: SIGTERM)
        return signal == 0 ? code : signal
    }

    func shutDown() async throws { _ = try await stop() }

    func check() async throws -> Int32 {
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try log.seekToEnd()
        defer { try? log.close() }
        return try await ChildProcess(settings.program, ["check", store, "--quiet"], output: log, errors: log).end()
    }

    func begin(_ trouble: Trouble) async throws {
        guard trouble == .killed else { return try await faults.begin(trouble, in: process) }
        _ = try await end(by: SIGKILL)
        try await start()
    }

    func turn(_ trouble: Trouble) async throws { try faults.turn(trouble) }

    func end(_ trouble: Trouble) async throws { try await faults.end(trouble, in: process) }

    private func end(by signal: Int32) async throws -> (code: Int32, signal: Int32) {
        let ending = running.withLock { running in
            running?.isAsked = true
            return running?.end
        }
        guard let ending else { throw SoakError("nothing runs") }
        Foundation.kill(process, signal)
        return await ending.value
    }
}
