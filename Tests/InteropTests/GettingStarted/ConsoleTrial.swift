import Foundation
import Soak

/// A folder in which a page's commands are run one after the other, with the built program on the path.
actor ConsoleTrial {
    private let folder: TemporaryFolder
    private let environment: [String: String]
    private let addresses: [String: String]
    private var directory: String
    private var servers: [ChildProcess] = []

    /// - Parameters:
    ///   - sample: A folder of the repository that the commands copy.
    ///   - ports: The ports in the page and in the sample. They are replaced by free ports.
    ///   - admin: The admin port among them that commands use by default.
    init(root: URL, sample: String, ports: [Int], admin: Int) throws {
        let free = Self.freePorts(ports.count)
        addresses = Dictionary(uniqueKeysWithValues: zip(ports, free).map { ("127.0.0.1:\($0)", "127.0.0.1:\($1)") })
        folder = try TemporaryFolder()
        directory = folder.path
        let programs = URL(fileURLWithPath: try Program.path()).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        environment = [
            "PATH": "\(programs):\(path)",
            "DUALGAUGE_ADMIN": "http://\(addresses["127.0.0.1:\(admin)"] ?? "127.0.0.1:\(admin)")",
        ]
        let source = root.appendingPathComponent(sample)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/\(sample)", withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            let text = try String(contentsOf: source.appendingPathComponent(name), encoding: .utf8)
            let moved = addresses.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
            _ = try folder.write(moved, to: "\(sample)/\(name)")
        }
    }

    /// Runs a command, or starts a server and waits for its expected lines.
    ///
    /// - Returns: The output of the command, if it differs from the page.
    func run(_ documented: ConsoleCommand) async throws -> String? {
        let command = documented.replacing(addresses)
        if command.text.hasPrefix("cd ") {
            directory += "/\(command.text.dropFirst(3))"
            return nil
        }
        if command.isServer { return try await start(command) }
        var printed = ""
        repeat {
            printed = try await output(of: command.text)
        } while command.isRepeated && !command.prints(printed) && !Task.isCancelled
        return command.prints(printed) ? nil : printed
    }

    /// Ends the servers, the last one first.
    func stop() async {
        for server in servers.reversed() {
            _ = kill(server.id, SIGTERM)
            _ = await server.end()
        }
        servers = []
    }

    /// The output of a command, errors included.
    private func output(of command: String) async throws -> String {
        let file = try folder.write("", to: "output")
        guard let output = FileHandle(forWritingAtPath: file) else { throw Program.Missing() }
        _ = try await ChildProcess(
            "/bin/sh", ["-c", "cd \"$0\" || exit; \(command)", directory], output: output, errors: output, environment: environment
        ).end()
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    private func start(_ command: ConsoleCommand) async throws -> String? {
        let output = try ChildOutput()
        servers.append(
            try ChildProcess(
                "/bin/sh", ["-c", "cd \"$0\" && exec \(command.text)", directory], output: output.writing, errors: output.writing,
                environment: environment))
        try output.writing.close()
        var printed = ""
        for await piece in output.texts {
            printed += piece
            if command.prints(printed) { return nil }
        }
        return printed
    }

    /// Free ports. They are below those that the system gives to connections and to other tests.
    private static func freePorts(_ count: Int) -> [Int] {
        let ports = (10_000..<30_000).shuffled().lazy.filter { port in
            guard let descriptor = try? RawSocket.connect(port: port) else { return true }
            close(descriptor)
            return false
        }
        return Array(ports.prefix(count))
    }
}
