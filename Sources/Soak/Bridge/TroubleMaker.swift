import Foundation

/// Makes troubles for the bridge's process, with no special rights.
final class TroubleMaker: Sendable {
    /// The process reads it through its memory.
    private let file: Int32
    private let bridge: SoakBridge

    /// How many files the process could have at first.
    private let files: Int

    private static let delay: Int64 = 500_000
    private static let day: Int64 = 86_400

    /// Descriptors that may still be opened when they are scarce.
    private static let spare = 4

    /// Opens ``SoakBridge/troublesFile``, by which the bridge under test is told its troubles.
    init(_ bridge: SoakBridge) throws {
        self.bridge = bridge
        files = ProcessSample.fileLimit
        file = open(bridge.troublesFile, O_RDWR)
        guard file >= 0 else { throw SoakError("\(bridge.troublesFile) cannot be opened: \(errno)") }
    }

    deinit { close(file) }

    func begin(_ trouble: Trouble) async throws {
        switch trouble {
        case .full: try set(isFull: 1)
        case .readOnly: try set(isReadOnly: 1)
        case .slow: try set(delay: Self.delay)
        case .files: try await limitFiles(to: ProcessSample(bridge.process).descriptors + Self.spare)
        case .clock: try set(clock: -Self.day)
        case .killed: try await bridge.kill()
        }
    }

    /// Half of the time is over.
    func turn(_ trouble: Trouble) throws {
        if trouble == .clock { try set(clock: Self.day) }
    }

    func end(_ trouble: Trouble) async throws {
        if trouble == .files { try await limitFiles(to: files) }
        try set()
    }

    /// Writes the troubles from now on: `struct troubles` of `CTroubles.h`, which is not linked here, or this process would meet the troubles.
    private func set(isFull: Int64 = 0, isReadOnly: Int64 = 0, delay: Int64 = 0, clock: Int64 = 0) throws {
        let now = [isFull, isReadOnly, delay, clock]
        let size = now.count * MemoryLayout<Int64>.size
        guard pwrite(file, now, size, 0) == size else { throw SoakError("\(bridge.troublesFile) cannot be written: \(errno)") }
    }

    /// - Parameter most: The soft limit; the hard one stays, so that it can be raised again.
    private func limitFiles(to most: Int) async throws {
        let null = FileHandle.nullDevice
        let code = try await ChildProcess(
            "/usr/bin/prlimit", ["--pid", "\(bridge.process)", "--nofile=\(most):"], output: null, errors: null
        ).end()
        guard code == 0 else { throw SoakError("no limit of files can be set: \(code)") }
    }
}
