import Documents
import Foundation
import Soak

/// A folder in which a program is run with a damaged input.
struct TrialFolder {
    /// The end of a program.
    struct End {
        let command: String
        let code: Int32
        /// The signal that ended it; 0 for none.
        let signal: Int32
        let output: String
        let errors: String

        var description: String { "\(command): exit code \(code), signal \(signal)\n\(output.suffix(1_500))\n\(errors.suffix(3_000))" }

        /// The program's fault, independent of its task: programs have to end by themselves, in time, and to print the reason of a failure.
        ///
        /// - Parameter codes: The allowed exit codes.
        func fault(codes: Set<Int32> = [0, 1, 2, 3, 4]) -> String? {
            if signal == SIGKILL { return "it did not end within \(FuzzSettings.programTimeout) s" }
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
        // A damaged path with `..` still leads into the folder.
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

    /// Runs `dualgauge` in the folder, without standard input and without a bridge at the default address.
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
            try await Task.sleep(for: .seconds(FuzzSettings.programTimeout))
            kill(child.id, SIGKILL)
        }
        let (code, signal) = await child.ending()
        watchdog.cancel()
        return End(
            command: arguments.map(\.debugDescription).joined(separator: " "), code: code, signal: signal,
            output: String(decoding: try read(".out"), as: UTF8.self), errors: String(decoding: try read(".err"), as: UTF8.self))
    }
}
