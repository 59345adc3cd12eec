import Documents
import HTTPTypes
import LegacyTestSupport
import Testing

/// Requests that real 1.x clients sent to Sync Gateway 2.8.4, sent to the bridge: with its responses the clients would have continued in
/// the same way.
@Suite("Replay of recorded clients")
struct RecordedClientTests {
    /// Conversations in the order in which they were recorded, over one database.
    private static let conversations = [
        "cbl-java-1.4.4-push-pull", "cbl-java-1.4.4-pull", "pouchdb-5.4.5-push-pull", "pouchdb-9.0.0-push-pull",
        "cbl-net-1.4.4-continuous",
    ]

    /// Documents that other clients had written before .NET connected.
    private static let a1 = #"{"_id":"a1","_rev":"1-7872796cf808575a89b75936e3d04bc5","v":1}"#
    private static let a2 = #"{"_id":"a2","_rev":"1-bc8602e3567a9739002b9d863f796a53","channels":["red"],"v":2}"#
    private static let a3 = #"{"_id":"a3","_rev":"1-0914810dc5a68b834584665d62938103","v":3}"#

    @Test("Requests of Couchbase Lite for Java and .NET and of PouchDB 5 and 9 get the recorded responses")
    func replay() async throws {
        let bridge = try await Bridge()
        var last = ""
        for conversation in Self.conversations {
            if conversation.hasPrefix("cbl-net") { try await bridge.push(Self.a1, Self.a2, Self.a3) }
            let lines = try Recording.lines(conversation)
            for (index, line) in lines.enumerated() where line["from"]?.string == "client" {
                let recorded = lines[(index + 1)...].first { $0["from"]?.string == "server" && $0["connection"] == line["connection"] }
                if let sequence = try await replay(line, recorded, bridge, conversation, last: last) { last = sequence }
            }
        }
    }

    /// - Parameter last: The feed's position in the bridge's last response.
    /// - Returns: The new position if this response is one of the feed.
    private func replay(
        _ request: JSONValue, _ recorded: JSONValue?, _ bridge: Bridge, _ conversation: String, last: String
    ) async throws -> String? {
        let head = (request["head"]?.array ?? []).compactMap(\.string)
        let line = head[0].split(separator: " ")
        let target = Self.withOurSequence(String(line[1]), last)
        // The server's root, a session of another database's user, and data that only the recorded server had.
        guard target.hasPrefix("/db"), !Self.isBeyondUs(target) else { return nil }
        let method = try #require(HTTPRequest.Method(String(line[0])))
        let answer = try await bridge.send(
            method, target, headers: Self.fields(head), body: Array((request["body"]?.string ?? "").utf8))
        guard let recorded, let theirHead = recorded["head"]?.array?.compactMap(\.string) else { return nil }
        let comment = Comment(rawValue: "\(conversation): \(method) \(target): \(answer.text.prefix(300))")
        let status = Int(theirHead[0].split(separator: " ")[1])
        if let better = Self.betterStatus(of: target, theirs: status) {
            #expect(answer.status == better, comment)
            return nil
        }
        #expect(answer.status == status, comment)
        let theirs = recorded["body"]?.string ?? ""
        let type = Self.fields(theirHead)[.contentType] ?? ""
        if target.contains("open_revs") {
            // Sync Gateway adds all attachments, unasked. The client fetches them one by one in any case.
            #expect(try answer.json.array?.count == JSONValue(Array(theirs.utf8)).array?.count, comment)
        } else if type.hasPrefix("multipart") {
            let difference = try Resemblance.difference(Part.parse(Array(theirs.utf8), contentType: type), answer.parts)
            #expect(difference == nil, comment)
        } else if type.hasPrefix("application/json") || type.hasPrefix("text/plain; charset"), let json = try? JSONValue(Array(theirs.utf8))
        {
            let ours = try answer.json
            #expect(Resemblance.difference(json, target.hasPrefix("/db/_bulk_docs") ? Self.withoutOK(ours) : ours) == nil, comment)
        } else {
            #expect(answer.text == theirs, comment)
        }
        return (try? answer.json)?["last_seq"]?.string
    }

    /// Rows of revisions that the server makes have ok here, and did not have it there.
    private static func withoutOK(_ rows: JSONValue) -> JSONValue {
        guard let all = rows.array else { return rows }
        return .array(all.map { row in row.members.map { .object($0.filter { $0.key != "ok" }) } ?? row })
    }

    /// Sequences belong to a server: where the client continues from a sequence of the recorded server, the replay uses one of the
    /// bridge's.
    private static func withOurSequence(_ target: String, _ last: String) -> String {
        target.replacing(/since=[1-9][0-9]*/, with: "since=\(last)")
    }

    /// Responses that are better than the recorded server's. The client's next requests have no effect then, and still get a response.
    private static func betterStatus(of target: String, theirs: Int?) -> Int? {
        if target.hasPrefix("/db/_bulk_get"), theirs == 406 { return 200 }
        // .NET does not encode the slash of its IDs.
        if target.hasPrefix("/db/j5/att?") { return 200 }
        if target.hasPrefix("/db/n5/att?new_edits=false") { return 201 }
        if target.hasPrefix("/db/n5?rev=") { return 404 }
        return nil
    }

    /// The document that was written while .NET followed the feed.
    private static func isBeyondUs(_ target: String) -> Bool {
        target.hasPrefix("/db/late")
    }

    private static func fields(_ head: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for line in head.dropFirst() {
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            if let name = HTTPField.Name(String(line[..<colon])) { fields[name] = String(line[colon...].dropFirst(2)) }
        }
        return fields
    }
}
