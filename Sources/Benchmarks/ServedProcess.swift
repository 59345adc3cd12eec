import AsyncHTTPClient
import Coordination
import Foundation
import NIOCore

/// A bridge in its own process, so that its cost does not include that of the clients.
final class ServedProcess {
    struct Usage {
        /// Processor time so far, in seconds.
        let processor: Double
        /// Resident memory, in KiB.
        let memory: Int
    }

    let port: Int
    let adminPort: Int
    private let process = Process()

    /// The databases for the paths of ``PathsCommand``.
    static let databases = """
          http: { store: ./http.dualgauge, guest: { enabled: true, channels: ["*"] } }
          blip: { store: ./blip.dualgauge, guest: { enabled: true, channels: ["*"] } }
          pushed: { store: ./pushed.dualgauge, guest: { enabled: true, channels: ["*"] } }
          access: { store: ./access.dualgauge }
        """

    /// - Parameter databases: The content of `databases:` in its configuration.
    init(program: String, folder: String, databases: String = ServedProcess.databases) async throws {
        // Below the ephemeral port range, whose ports a client's connections use.
        port = Int.random(in: 10_000..<15_000) * 2
        adminPort = port + 1
        let configuration = """
            listen: { public: "127.0.0.1:\(port)", admin: "127.0.0.1:\(adminPort)" }
            databases:
            \(databases)
            """
        let file = "\(folder)/bench.yaml"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: program)
        // Without a supervisor, the measured processor time and memory are those of a single process.
        process.arguments = ["serve", "--config", file, "--quiet", "--no-supervisor"]
        try process.run()
        try await waitUntilReady()
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Reads `/proc`: fields 14 and 15 of `stat` are clock ticks in user and system mode.
    func usage() throws -> Usage {
        let stat = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        let ticks = (Double(fields[12]) ?? 0) + (Double(fields[13]) ?? 0)
        let pages = Int(fields[22]) ?? 0
        return Usage(processor: ticks / Double(sysconf(Int32(_SC_CLK_TCK))), memory: pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024)
    }

    private func waitUntilReady() async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            let answer = try? await HTTPClient.shared.execute(HTTPClientRequest(url: "http://127.0.0.1:\(port)/"), timeout: .seconds(1))
            if answer != nil { return }
            // A separate process offers no other sign of readiness than its responses.
            try await suspend(for: .milliseconds(50))
        }
        throw CancellationError()
    }
}
