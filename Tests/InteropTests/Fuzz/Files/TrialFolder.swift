import Documents
import Foundation
import Soak

/// A folder in which a program is run with what was damaged.
struct TrialFolder {
    /// How a program has ended.
    struct End {
        let command: String
        let code: Int32
        /// The signal that ended it; 0 for none.
        let signal: Int32
        let output: String
        let errors: String

        var description: String { "\(command): exit code \(code), signal \(signal)\n\(output.suffix(1_500))\n\(errors.suffix(3_000))" }

        /// What is wrong with it, whatever it was to do: programs end by themselves, in time, and say why if they could not do it.
        ///
        /// - Parameter codes: the exit codes that may be.
        func fault(codes: Set<Int32> = [0, 1, 2, 3, 4]) -> String? {
            if signal == SIGKILL { return "it did not end within \(FuzzSettings.patienceWithPrograms) s" }
            if signal != 0 { return "signal \(signal)" }
            if !codes.contains(code) { return "exit code \(code)" }
            if errors.contains("Fatal error") { return "a fatal error" }
            return code != 0 && errors.isEmpty && output.isEmpty ? "no word on why" : nil
        }
    }

    private let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        // Whatever a damaged path leads to by `..` is still within.
        path = "\(folder.path)/a/b/c"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))) }

    func copy(_ source: String, to name: String) throws { try FileManager.default.copyItem(atPath: source, toPath: "\(path)/\(name)") }

    /// Runs `dualgauge` in the folder, without anything to read and without a bridge that it could reach by default.
    func run(_ arguments: [String]) async throws -> End {
        try write([], to: ".out")
        try write([], to: ".err")
        guard let output = FileHandle(forWritingAtPath: "\(path)/.out"), let errors = FileHandle(forWritingAtPath: "\(path)/.err") else {
            throw Program.Missing()
        }
        let child = try ChildProcess(
            "/bin/sh", ["-c", #"cd "$0" && exec "$@" </dev/null"#, path, try Program.path()] + arguments, output: output, errors: errors,
            environment: ["DUALGAUGE_ADMIN": "http://127.0.0.1:1", "SWIFT_BACKTRACE": "enable=no"])
        let watchdog = Task {
            try await Task.sleep(for: .seconds(FuzzSettings.patienceWithPrograms))
            kill(child.id, SIGKILL)
        }
        let (code, signal) = await child.ending()
        watchdog.cancel()
        return End(
            command: arguments.map(\.debugDescription).joined(separator: " "), code: code, signal: signal,
            output: String(decoding: try read(".out"), as: UTF8.self), errors: String(decoding: try read(".err"), as: UTF8.self))
    }
}
