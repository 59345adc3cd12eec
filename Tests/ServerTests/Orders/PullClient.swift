import BLIP
import Documents
import Gateway
import ModernProtocol

/// The other end of a session: a 2.x+ client that pulls until it is caught up, and disconnects. It reports each revision as known, so none is sent.
actor PullClient: MessageSocket {
    struct Row: Sendable {
        /// The collection's path; empty for the unified keyspace.
        let place: String
        let id: String
        let revision: String
        let position: FeedPosition

        /// Whether the client has to remove the document: it was deleted, or has become invisible for the user.
        let isGone: Bool
    }

    private(set) var rows: [Row] = []

    /// Errors of the session.
    private(set) var faults: [String] = []

    private let places: [String]
    private let since: [String: FeedPosition]
    private let connection = BLIPConnection()
    private var waiting: Set<String>
    private var isOver = false
    private var reader: CheckedContinuation<Void, Never>?

    /// - Parameter places: paths of collections, or only an empty path for a client without collections.
    init(_ places: [String], since: [String: FeedPosition]) throws {
        self.places = places
        self.since = since
        waiting = Set(places)
        if places == [""] {
            _ = try connection.send(request: Self.subscription(since[""], [:]))
        } else {
            let checkpoints = places.map { "\"cp-\($0)\"" }.joined(separator: ",")
            let names = places.map { "\"\($0)\"" }.joined(separator: ",")
            let body = "{\"checkpoint_ids\":[\(checkpoints)],\"collections\":[\(names)]}"
            _ = try connection.send(request: .request("getCollections", properties: [:], body: Array(body.utf8)))
        }
    }

    private static func subscription(_ since: FeedPosition?, _ properties: BLIPProperties) -> BLIPMessage {
        var properties = properties
        properties.add("revocations", "true")
        properties.add("batch", "10")
        if let since { properties.add("since", since.trigger == nil ? since.description : "\"\(since)\"") }
        return .request("subChanges", properties: properties)
    }

    // MARK: The session's socket

    func receive() async -> [[UInt8]]? {
        while true {
            var frames: [[UInt8]] = []
            while let frame = connection.nextFrame() { frames.append(frame) }
            if !frames.isEmpty { return frames }
            if waiting.isEmpty || isOver { return nil }
            await withCheckedContinuation { reader = $0 }
        }
    }

    func send(_ messages: [[UInt8]]) {
        for message in messages {
            do {
                switch try connection.receive(message) {
                case .request(let request): try take(request)
                case .reply(let reply): try take(reply: reply)
                case .replyPart, nil: break
                }
            } catch {
                faults.append("\(error)")
            }
        }
        wake()
    }

    func close(code: UInt16, reason: String) {
        if !waiting.isEmpty { faults.append("closed: \(code) \(reason)") }
        end()
    }

    func drop() {
        if !waiting.isEmpty { faults.append("dropped") }
        end()
    }

    private func end() {
        isOver = true
        wake()
    }

    private func wake() {
        reader?.resume()
        reader = nil
    }

    // MARK: What comes

    private func take(reply: BLIPMessage) throws {
        if let message = reply.errorMessage { faults.append(message) }
        guard places != [""], let answers = try? JSONValue(reply.body).array else { return }
        for (index, answer) in answers.enumerated() {
            guard answer != .null else {
                waiting.remove(places[index])
                continue
            }
            _ = try connection.send(request: Self.subscription(since[places[index]], ["collection": String(index)]))
        }
    }

    private func take(_ request: BLIPMessage) throws {
        guard request.profile == "changes" else { return faults.append("unexpected \(request.profile ?? "message")") }
        let place = places[request.properties["collection"].flatMap { Int($0) } ?? 0]
        let found = try JSONValue(request.body).array ?? []
        if found.isEmpty { waiting.remove(place) }
        for row in found {
            let fields = row.array ?? []
            guard fields.count > 2, let position = Self.position(fields[0]), let id = fields[1].string, let revision = fields[2].string
            else {
                faults.append("\(row)")
                continue
            }
            // Only deletions and departures have the fourth field.
            rows.append(Row(place: place, id: id, revision: revision, position: position, isGone: fields.count > 3))
        }
        guard !request.noReply else { return }
        let answer = "[" + found.map { _ in "0" }.joined(separator: ",") + "]"
        try connection.send(reply: .reply(to: request.number, body: Array(answer.utf8)))
    }

    private static func position(_ value: JSONValue) -> FeedPosition? {
        switch value {
        case .number(let text), .string(let text): FeedPosition(text)
        default: nil
        }
    }
}
