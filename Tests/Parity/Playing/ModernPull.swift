import BLIP
import Documents
import HTTP

/// A pull over BLIP: until it is caught up, or as long as its history wants. It requests every missing revision of its rows, and follows LiteCore's
/// handling of the rows' flags.
final class ModernPull {
    private(set) var observation = Observation()
    private(set) var device: Player.Device

    /// The code of the server's refusal of the subscription.
    private(set) var refusal: Int?

    private let client: Client

    /// The revisions of the history so far.
    var names: RevisionNames

    /// Whether the subscription is continuous.
    private let isContinuous: Bool
    private let blip = BLIPConnection()

    /// Rows whose revision was requested and has not arrived, by document and revision.
    private var awaited: [RequestedRevision: Observation.Row] = [:]
    private var isCaughtUp = false

    /// Revisions whose attachment was requested, by the number of that request, each with the message of the revision.
    private var files: [UInt64: (rev: BLIPMessage, id: String)] = [:]

    private struct RequestedRevision: Hashable {
        let id: String
        let revision: String
    }

    /// The last revision of the marker in the feed.
    private var marker: String?

    init(_ client: Client, _ device: Player.Device, names: RevisionNames, isContinuous: Bool = false) {
        self.isContinuous = isContinuous
        self.client = client
        self.device = device
        self.names = names
    }

    func begin(over socket: any WebSocketConnection) async throws {
        if client.keyspace.isEmpty {
            try subscribe()
        } else {
            let body = #"{"checkpoint_ids":["cp-\#(client.name)"],"collections":["\#(client.keyspace)"]}"#
            _ = try blip.send(request: .request("getCollections", body: Array(body.utf8)))
        }
        try await blip.flush(to: socket)
    }

    /// Runs until the server has sent the end of the feed, or this revision of the marker.
    ///
    /// - Returns: whether that arrived before the connection's end.
    func listen(over socket: any WebSocketConnection, until marker: String? = nil) async throws -> Bool {
        func isDone() -> Bool { awaited.isEmpty && files.isEmpty && (marker == nil ? isCaughtUp : self.marker == marker) }
        while !isDone(), refusal == nil, let messages = try await socket.receive() {
            for message in messages {
                switch try blip.receive(message.bytes) {
                case .request(let request): try handle(request)
                case .reply(let reply): try handle(reply: reply)
                case .replyPart, nil: break
                }
            }
            try await blip.flush(to: socket)
        }
        for var row in awaited.values {
            row.answers = ["silence"]
            observation.rows[row.id] = row.after(observation.rows[row.id])
        }
        awaited = [:]
        return isDone()
    }

    /// The rows since the last call.
    func news() -> [String: Observation.Row] {
        defer { observation.rows = [:] }
        return observation.rows
    }

    private func subscribe() throws {
        var properties: BLIPProperties = [:]
        if !client.keyspace.isEmpty { properties.add("collection", "0") }
        if let since = device.since { properties.add("since", since.contains(":") ? "\"\(since)\"" : since) }
        if let channels = client.channels {
            properties.add("filter", "sync_gateway/bychannel")
            properties.add("channels", channels.joined(separator: ","))
        }
        if isContinuous { properties.add("continuous", "true") }
        if client.activeOnly { properties.add("activeOnly", "true") }
        if client.revocations { properties.add("revocations", "true") }
        if let limit = client.limit { properties.add("batch", String(limit)) }
        _ = try blip.send(request: .request("subChanges", properties: properties))
    }

    private func handle(reply: BLIPMessage) throws {
        if let (rev, id) = files.removeValue(forKey: reply.number) {
            let expected = rev.properties["rev"].flatMap { names.file(of: $0, of: id, in: client.keyspace) }
            let isRight = reply.type == .reply && expected.map { Edit.File.content(of: id, step: $0) } == reply.body
            observation.rows[id]?.answers.insert(isRight ? "file" : "no-file")
            if !rev.noReply { try blip.send(reply: .reply(to: rev.number)) }
        } else if reply.type == .error {
            refusal = reply.errorCode ?? 0
        } else if !client.keyspace.isEmpty, let answers = try? JSONValue(reply.body).array {
            if answers.first == .null { refusal = 404 } else { try subscribe() }
        }
    }

    private func handle(_ request: BLIPMessage) throws {
        switch request.profile {
        case "changes": try handleChanges(request)
        case "rev", "norev":
            handleRevision(request)
            if try !asksForFile(of: request), !request.noReply { try blip.send(reply: .reply(to: request.number)) }
        default: try blip.send(reply: .error(to: request.number, domain: "BLIP", code: 404, message: "no handler"))
        }
    }

    private func handleChanges(_ request: BLIPMessage) throws {
        let found = try JSONValue(request.body).array ?? []
        if found.isEmpty { isCaughtUp = true }
        var answers: [String] = []
        for fields in found.compactMap(\.array) {
            guard fields.count > 2, let id = fields[1].string, let revision = fields[2].string else { continue }
            device.since = Player.text(fields[0]) ?? device.since
            guard id != Player.marker else {
                marker = revision
                answers.append("0")
                continue
            }
            answers.append(handle(id, revision, flags: fields.count > 3 ? fields[3].int ?? (fields[3].bool == true ? 1 : 0) : 0))
        }
        if !request.noReply {
            try blip.send(
                reply: .reply(to: request.number, properties: ["maxHistory": "20"], body: Array("[\(answers.joined(separator: ","))]".utf8))
            )
        }
    }

    /// - Returns: the reply to the row: `0` for a revision that is not requested.
    private func handle(_ id: String, _ revision: String, flags: Int) -> String {
        let name = names.name(of: revision, of: id, in: client.keyspace)
        var row = Observation.Row(id: id, revisions: [name])
        for (bit, mark) in [(1, "deleted"), (2, "revoked"), (4, "removed")] where flags & bit != 0 { row.marks.insert(mark) }
        if flags > 1, flags != 5 {
            device.held[id] = nil
        } else if !names.isKnown(revision, among: device.held[id] ?? [], of: id, in: client.keyspace) {
            awaited[RequestedRevision(id: id, revision: revision)] = row
            return "[]"
        }
        observation.rows[row.id] = row.after(observation.rows[row.id])
        return "0"
    }

    /// Requests the attachment of a revision before it confirms the revision.
    private func asksForFile(of request: BLIPMessage) throws -> Bool {
        guard request.profile == "rev", let id = request.properties["id"], let revision = request.properties["rev"],
            observation.rows[id]?.answers.contains("200") == true
        else { return false }
        let body = try JSONValue(request.body)
        guard body["_removed"] == nil, !request.properties.bool("deleted") else { return false }
        guard let digest = body["_attachments"]?[Edit.File.name]?["digest"]?.string else {
            if names.file(of: revision, of: id, in: client.keyspace) != nil { observation.rows[id]?.answers.insert("no-file") }
            return false
        }
        var properties: BLIPProperties = [:]
        if !client.keyspace.isEmpty { properties.add("collection", "0") }
        properties.add("digest", digest)
        properties.add("docID", id)
        files[try blip.send(request: .request("getAttachment", properties: properties))] = (request, id)
        return true
    }

    private func handleRevision(_ request: BLIPMessage) {
        guard let id = request.properties["id"], let revision = request.properties["rev"],
            var row = awaited.removeValue(forKey: RequestedRevision(id: id, revision: revision))
        else { return }
        let body = (try? JSONValue(request.body)) ?? .null
        if request.profile == "norev" {
            row.answers = ["norev"]
        } else if body["_removed"]?.bool == true {
            row.answers = ["removed"]
            device.held[id] = nil
        } else if request.properties.bool("deleted") {
            row.answers = ["deleted"]
            device.held[id] = nil
        } else {
            row.answers = body["step"].flatMap(Player.text).map { "s\($0)" }.map { row.revisions == [$0] } == true ? ["200"] : ["other"]
            device.held[id] = row.revisions
        }
        observation.rows[row.id] = row.after(observation.rows[row.id])
    }
}
