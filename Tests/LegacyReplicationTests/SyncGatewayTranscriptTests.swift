import Documents
import HTTPTypes
import Testing

@testable import LegacyReplication

/// Every request that Sync Gateway 2.8.4 was asked once, asked again here, in the same order.
@Suite("Answers are Sync Gateway 2.8.4's")
struct SyncGatewayTranscriptTests {
    /// Where we differ, and why.
    private static let deviations: [String: String] = [
        "_bulk_get Accept json": "JSON is served to those who ask for it: PouchDB and CouchDB do",
    ]

    @Test("Status, headers and bodies are the same, but for what no two servers have in common")
    func transcript() async throws {
        let bridge = try await Bridge()
        let generated: Set<String> = ["9fb833283729a17950ac750d28c9214c", "cff5608da6273c56695a36d8781d438d"]
        for exchange in try Recording.lines("sync-gateway-2.8.4") {
            let name = try #require(exchange["name"]?.string)
            let method = try #require(HTTPRequest.Method(exchange["method"]?.string ?? ""))
            let answer = try await bridge.send(
                method, exchange["target"]?.string ?? "", headers: Recording.headers(exchange["headers"]),
                body: Array((exchange["body"]?.string ?? "").utf8))
            guard Self.deviations[name] == nil else { continue }
            #expect(answer.status == exchange["status"]?.int, "\(name): \(answer.text)")
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
