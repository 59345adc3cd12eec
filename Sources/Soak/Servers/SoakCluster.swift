import Coordination
import Foundation

/// Two bridges behind HAProxy, and a PostgreSQL primary with its standby, which the script of `samples/cluster` starts and breaks.
final class SoakCluster: SoakServer {
    // The ports of the sample.
    let port = 4_984
    let adminPort = 4_995
    let process: pid_t = 0

    private static let bridges = ["a", "b"]
    private static let address = "postgres://dualgauge@127.0.0.1:5441,127.0.0.1:5442/sync?schema=soak&sslmode=disable&passfile="

    private let script: String
    private let settings: SoakSettings

    /// Whether the servers run.
    private let isStarted = Lock(false)

    /// Chooses the bridge of a trouble.
    private let numbers: Lock<SeededNumbers>

    /// The bridge of the present trouble.
    private let bridge = Lock("a")

    private var folder: String { "\(settings.folder)/cluster" }
    private var configuration: String { "\(settings.folder)/soak.yaml" }
    private var log: String { "\(settings.folder)/cluster.log" }

    /// - Parameter script: The path of `cluster.sh`.
    init(_ settings: SoakSettings, script: String) throws {
        self.settings = settings
        self.script = script
        numbers = Lock(SeededNumbers(settings.seed))
        let listen = """
            listen:
              public: "${BRIDGE_PUBLIC}"
              admin: "${BRIDGE_ADMIN}"
              trustedProxies: [127.0.0.1]
              drainTime: 3s
            """
        let database = SoakDatabase.configuration(store: "\(Self.address)${CLUSTER}/passfile")
        try "\(listen)\n\(database)".write(toFile: configuration, atomically: true, encoding: .utf8)
        try Data().write(to: URL(fileURLWithPath: log))
    }

    func start() async throws {
        if isStarted.withLock({ $0 }) {
            for bridge in Self.bridges { try await run("bridge", bridge, "start") }
        } else {
            try await run("start", settings.program)
            isStarted.withLock { $0 = true }
        }
    }

    func stop() async throws -> Int32 {
        for bridge in Self.bridges {
            let code = try await code(of: "bridge", bridge, "stop")
            guard code == 0 else { return code }
        }
        return 0
    }

    func shutDown() async throws { try await run("stop") }

    func check() async throws -> Int32 {
        try await code(of: settings.program, ["check", "\(Self.address)\(folder)/passfile", "--quiet"])
    }

    /// The bridges that their supervisors have restarted: killed bridges are killed with their supervisors.
    var unexpectedExits: [String] {
        Self.bridges.flatMap { bridge in
            let log = (try? String(contentsOfFile: "\(folder)/bridge-\(bridge).log", encoding: .utf8)) ?? ""
            return log.split(separator: "\n").filter { $0.contains("process has ended, and is started again") }.map {
                "bridge \(bridge): \($0)"
            }
        }
    }
}

// MARK: Troubles

extension SoakCluster {
    func begin(_ trouble: Trouble) async throws {
        bridge.withLock { $0 = numbers.withLock { Self.bridges.randomElement(using: &$0) } ?? "a" }
        switch trouble {
        case .bridgeKilled: try await breakBridge("kill")
        case .bridgeStopped: try await breakBridge("stop")
        case .bridgePaused: try await breakBridge("pause")
        case .primaryKilled: try await run("fail")
        case .serverRestarted: try await run("server", "restart")
        case .serverPaused: try await run("server", "pause")
        case .connectionsEnded: try await run("connections", "end")
        case .connectionsRefused: try await run("connections", "limit", "3")
        default: throw SoakError("\(trouble.rawValue) is no trouble of a cluster")
        }
    }

    func turn(_ trouble: Trouble) async throws {
        switch trouble {
        case .primaryKilled: try await run("promote")
        case .connectionsRefused: try await run("connections", "end")
        default: break
        }
    }

    func end(_ trouble: Trouble) async throws {
        switch trouble {
        case .bridgeKilled, .bridgeStopped: try await breakBridge("start")
        case .bridgePaused: try await breakBridge("resume")
        case .primaryKilled: try await run("rejoin")
        case .serverPaused: try await run("server", "resume")
        case .connectionsRefused: try await run("connections", "limit", "-1")
        default: break
        }
    }

    private func breakBridge(_ verb: String) async throws { try await run("bridge", bridge.withLock { $0 }, verb) }

    /// Runs a command of the script.
    private func run(_ arguments: String...) async throws {
        let code = try await code(of: script, arguments)
        guard code == 0 else { throw SoakError("\(script) \(arguments.joined(separator: " ")) ended with \(code): see \(log)") }
    }

    private func code(of arguments: String...) async throws -> Int32 { try await code(of: script, arguments) }

    private func code(of program: String, _ arguments: [String]) async throws -> Int32 {
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try log.seekToEnd()
        defer { try? log.close() }
        let environment = ["CLUSTER": folder, "CONFIGURATION": configuration]
        return try await ChildProcess(program, arguments, output: log, errors: log, environment: environment).end()
    }
}
