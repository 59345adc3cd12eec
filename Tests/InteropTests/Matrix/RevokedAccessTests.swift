import Documents
import Testing

/// Who may no longer see a document is told that it was removed, and nothing of what has become of it.
@Suite("Access that was lost", .serialized)
struct RevokedAccessTests {
    private static let json = "Accept: application/json\r\n"

    @Test("No answer names a revision that was made since, or tells that there are any", arguments: [false, true])
    func since(isDeleted: Bool) async throws {
        try await MatrixWorld.run(guest: false) { (world) async throws in
            let (id, _, left) = try await world.documents(0)
            _ = try await world.bridge.admin("PUT", "/shop/_user/insider", #"{"admin_channels":["other"]}"#)
            let change =
                #"{"channels":["secret"],"text":"\#(MatrixWorld.marker)","_rev":"\#(left)"\#(isDeleted ? #","_deleted":true"# : "")}"#
            let now = try #require(try await world.bridge.admin("PUT", "/shop/\(id)", change).json["rev"]?.string)
            let requests = [
                ("GET", id, "", 404), ("HEAD", id, "", 404), ("GET", "\(id)?conflicts=true&revs=true", "", 404),
                ("GET", "\(id)?rev=\(left)&latest=true", "", nil), ("GET", "\(id)/photo", "", 404),
                ("POST", "_all_docs", #"{"keys":["\#(id)"]}"#, 200), ("POST", "_all_docs?include_docs=true", #"{"keys":["\#(id)"]}"#, 200),
                ("GET", "_all_docs?include_docs=true", "", 200), ("POST", "_bulk_get", #"{"docs":[{"id":"\#(id)"}]}"#, 200),
                ("POST", "_revs_diff", #"{"\#(id)":["9-abc"]}"#, 200), ("PUT", "\(id)?rev=9-abc", "{}", 409),
                // As a PUT without a revision: only what is there and live is in the way.
                ("DELETE", id, "", isDeleted ? 200 : 409),
            ]
            for (method, path, body, status) in requests {
                let answer = try await world.ask(.userWithChannel, method, "/shop/\(path)", body, headers: Self.json)
                #expect(status == nil || answer.status == status, "\(method) \(path): \(answer.status) \(answer.text)")
                #expect(!"\(answer.head)\(answer.text)".contains(now), "\(method) \(path): \(answer.text)")
                #expect(!answer.text.contains(MatrixWorld.marker) && !answer.text.contains("deleted"), "\(method) \(path): \(answer.text)")
            }
        }
    }
}
