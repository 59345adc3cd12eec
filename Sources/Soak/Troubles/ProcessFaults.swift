import Foundation

/// Injects faults into a process that has `CTroubles` in `LD_PRELOAD`, without special privileges.
final class ProcessFaults: Sendable {
    /// The fault settings; the process maps the file into its memory.
    private let file: Int32
    private let path: String

    /// The process's original file limit.
    private let files: Int

    private static let delay: Int64 = 500_000
    private static let day: Int64 = 86_400

    /// Number of further descriptors that the process may open during the trouble `files`.
    private static let spare = 4

    /// - Parameter path: The file with the fault settings of the process.
    init(_ path: String) throws {
        self.path = path
        files = ProcessSample.fileLimit
        file = open(path, O_RDWR)
        guard file >= 0 else { throw SoakError("\(path) cannot be opened: \(errno)") }
    }

    deinit { close(file) }

    func begin(_ trouble: Trouble, in process: pid_t) async throws {
        switch trouble {
        case .full: try set(isFull: 1)
        case .readOnly: try set(isReadOnly: 1)
        case .slow: try set(delay: Self.delay)
        case .files: try await limitFiles(of: process, to: ProcessSample(process).descriptors + Self.spare)
        case .clock: try set(clock: -Self.day)
        default: throw SoakError("\(trouble.rawValue) is no trouble of a single bridge")
        }
    }

    /// Called at the middle of a trouble.
    func turn(_ trouble: Trouble) throws {
        if trouble == .clock { try set(clock: Self.day) }
    }

    func end(_ trouble: Trouble, in process: pid_t) async throws {
        if trouble == .files { try await limitFiles(of: process, to: files) }
        try set()
    }

    /// Writes the fault settings in the layout of `struct troubles` in `CTroubles.h`. That library is not linked here, because it would inject
    /// the faults into this process.
    private func set(isFull: Int64 = 0, isReadOnly: Int64 = 0, delay: Int64 = 0, clock: Int64 = 0) throws {
        let now = [isFull, isReadOnly, delay, clock]
        let size = now.count * MemoryLayout<Int64>.size
        guard pwrite(file, now, size, 0) == size else { throw SoakError("\(path) cannot be written: \(errno)") }
    }

    /// - Parameter most: The soft limit. The hard limit is unchanged, so that the soft limit can be raised again.
    private func limitFiles(of process: pid_t, to most: Int) async throws {
        let null = FileHandle.nullDevice
        let code = try await ChildProcess(
            "/usr/bin/prlimit", ["--pid", "\(process)", "--nofile=\(most):"], output: null, errors: null
        ).end()
        guard code == 0 else { throw SoakError("no limit of files can be set: \(code)") }
    }
}
