import Documents
import HTTPTypes
import LegacyTestSupport
import Testing

/// Every recorded request to Sync Gateway 2.8.4, sent to the bridge in the same order.
@Suite("Responses equal those of Sync Gateway 2.8.4")
struct SyncGatewayTranscriptTests {
    /// The requests with different responses, and the reasons.
    private static let deviations: [String: String] = [
        "PUT doc bad JSON": "the reason says where the fault is",
        "PUT doc with _-prefixed property": "the reason names the property",
        "GET conflicted doc ?open_revs=all multipart": "the winner comes first",
        "_revs_diff": "an ancestor is named although the client listed it, too",
        "_bulk_docs new_edits=false": "the reason names the revision ID that is none",
        "_bulk_docs new_edits (default true), one conflict": "good rows say ok, too, as CouchDB's do: PouchDB expects it",
        "_local DELETE": "an answer in JSON, as CouchDB's: PouchDB expects it",
        "_bulk_get Accept json": "JSON is served to those who ask for it: PouchDB and CouchDB do",
        "_changes ?style=all_docs&limit=3": "there is no row for the user",
        "_changes POST empty body": "the reason says where the fault is",
        "_changes unknown filter": "a design document's function may be named, as with CouchDB, and this one is missing",
        "_all_docs POST keys include_docs": "a deleted document is told as one, as CouchDB does: PouchDB expects it",
        "_all_docs": "IDs that a server makes up stand elsewhere",
        "_all_docs channels/update_seq": "IDs that a server makes up stand elsewhere",
        "_changes conflicts include_docs": "a tombstone is told as one with its document, too",
        "_revs_diff on deleted doc": "an ancestor is named although the client listed it, too",
        "_bulk_docs attachment stub unknown digest": "refused, as CouchDB does: the bytes are nowhere",
    ]

    /// The requests among them with a different status.
    private static let otherStatuses: Set<String> = ["_bulk_get Accept json", "_changes unknown filter"]

    /// Requests that Sync Gateway refuses, and to which the bridge sends an endless response.
    private static let endless: Set<String> = ["_changes eventsource"]

    @Test("Status, headers and bodies equal the recorded ones, apart from values that differ between any two servers")
    func transcript() async throws {
        let bridge = try await Bridge()
        let generated: Set<String> = ["9fb833283729a17950ac750d28c9214c", "cff5608da6273c56695a36d8781d438d"]
        for exchange in try Recording.lines("sync-gateway-2.8.4") {
            let name = try #require(exchange["name"]?.string)
            guard !Self.endless.contains(name) else { continue }
            let method = try #require(HTTPRequest.Method(exchange["method"]?.string ?? ""))
            let answer = try await bridge.send(
                method, exchange["target"]?.string ?? "", headers: Recording.headers(exchange["headers"]),
                body: Array((exchange["body"]?.string ?? "").utf8))
            if !Self.otherStatuses.contains(name) {
                #expect(answer.status == exchange["status"]?.int, "\(name): \(answer.text)")
            }
            guard Self.deviations[name] == nil else { continue }
            let theirs = exchange["answer"]?.string ?? ""
            let type = exchange["answerHeaders"]?["Content-Type"]?.string ?? ""
            if type.hasPrefix("multipart") {
                let difference = try Resemblance.difference(Part.parse(Array(theirs.utf8), contentType: type), answer.parts)
                #expect(difference == nil, "\(name)")
            } else if let their = try? JSONValue(Array(theirs.utf8)), let our = try? answer.json {
                #expect(Resemblance.difference(their, our, generated: generated) == nil, "\(name)")
            } else {
                #expect(answer.text == theirs, "\(name)")
            }
            for member in exchange["answerHeaders"]?.members ?? [] where member.key != "Content-Type" && member.key != "Location" {
                let field = try #require(HTTPField.Name(member.key))
                #expect(answer.headers[field] == member.value.string, "\(name): \(member.key)")
            }
        }
    }
}
