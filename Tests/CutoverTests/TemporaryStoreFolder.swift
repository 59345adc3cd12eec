import Foundation

/// A store's folder that is removed with the test.
final class TemporaryStoreFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-cutover-\(UUID().uuidString).dualgauge").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
