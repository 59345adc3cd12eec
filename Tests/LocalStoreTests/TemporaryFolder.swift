import Foundation

/// A folder that is removed with the test.
final class TemporaryFolder: Sendable {
    let path: String

    /// The folder of a database in this one.
    var database: String { "\(path)/app.dualgauge" }

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-local-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
