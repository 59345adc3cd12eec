import Foundation
import Testing

/// Histories that were recorded with real Sync Gateways, played against a bridge.
@Suite("Recorded histories of Sync Gateways")
struct RecordingTests {
    private static let width = 8

    static func recordings(_ dialect: Dialect) throws -> [Recording] {
        guard let file = Bundle.module.url(forResource: dialect.rawValue, withExtension: "txt", subdirectory: "Recordings") else {
            return []
        }
        return try Recording.all(in: try String(contentsOf: file, encoding: .utf8))
    }

    @Test("A bridge's observations equal the recorded ones", arguments: Dialect.allCases)
    func replay(_ dialect: Dialect) async throws {
        let recordings = try Self.recordings(dialect)
        try #require(recordings.count >= 100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, recording) in recordings.enumerated() {
                if index >= Self.width { try await group.next() }
                group.addTask {
                    let ours = try await LocalBridge.play(recording.history)
                    if let difference = Difference.first(in: recording.history, gateway: recording.observations, bridge: ours) {
                        Issue.record("\(recording.history)\n\(difference)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
