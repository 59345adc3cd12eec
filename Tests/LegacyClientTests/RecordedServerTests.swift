import Documents
import Foundation
import Gateway
import LegacyTestSupport
import Testing

@testable import LegacyClient

@Suite("1.x replication with recorded answers of Sync Gateway 2.8.4", .timeLimit(.minutes(5)))
struct RecordedServerTests {
    /// The server's responses in a recording, by the method and the first path segment below the database.
    private func answers(_ name: String) throws -> [String: (status: Int, type: String, body: String)] {
        var asked: [Int: String] = [:]
        var answers: [String: (status: Int, type: String, body: String)] = [:]
        for entry in try Recording.lines(name) {
            let head = entry["head"]?.array?.compactMap(\.string) ?? []
            let connection = entry["connection"]?.int ?? 0
            let words = head[0].split(separator: " ")
            if entry["from"]?.string == "client" {
                asked[connection] = Self.key(String(words[0]), String(words[1]))
            } else if let key = asked[connection], answers[key] == nil, let status = Int(words[1]) {
                let type = head.first { $0.lowercased().hasPrefix("content-type: ") }?.dropFirst(14) ?? ""
                answers[key] = (status, String(type), entry["body"]?.string ?? "")
            }
        }
        return answers
    }

    private static func key(_ method: String, _ path: String) -> String {
        "\(method) \(path.split(separator: "?")[0].split(separator: "/").dropFirst().first ?? "")"
    }

    @Test("A pull stores the documents that Couchbase Lite for Java stored, with attachments")
    func pull() async throws {
        let fixture = try await ReplicationFixture(serverName: "Couchbase Sync Gateway/2.8.4 CE")
        let answers = try answers("cbl-java-1.4.4-pull")
        fixture.there.misbehave { entry, _ in
            answers[Self.key(entry.method, entry.path)].map { .answer($0.status, $0.body, ["Content-Type": $0.type]) } ?? .status(404, "")
        }
        let pull = try await fixture.run(.pull)
        #expect(pull.lastError == nil && pull.failedDocuments.isEmpty && pull.changesCount == 4)
        let contents = try await ReplicationFixture.contents(fixture.here)
        #expect(contents.keys.sorted() == ["j1", "j2", "j4/sl ash+ü&?#%", "j5/att"])
        #expect(contents["j5/att"]?.first?.contains("big file.txt:sha1-wGih9U13lltCinlpElMTzimruTs=:5000") == true)
        #expect(
            contents["j2"]?.first?.hasPrefix("2-ac2e9bdee8b25ed14b1384a3dc51dd81 2-ac2e9bdee8b25ed14b1384a3dc51dd81,1-6fd599f3") == true)
        // One request for each step, as many as Couchbase Lite made. The last two check whether the server has kept its data.
        let steps = ["GET _local", "POST _changes", "POST _bulk_get", "PUT _local", "GET ", "POST _revs_diff"]
        #expect(fixture.there.names.map { String($0.split(separator: "/")[0]) } == steps)
        await fixture.there.close()
    }
}
