import Foundation

/// A folder that is removed with the history; in memory where that can be, because hundreds of them are made.
final class TemporaryFolder: Sendable {
    let path: String

    static var parent: String {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
    }

    init() throws {
        path = "\(Self.parent)/dualgauge-parity-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
