import BLIP
import Coordination
import Documents

/// A 2.x+ app with a continuous replication over one connection. It pulls, and pushes its edits.
struct ModernApp: SoakClient {
    let world: World
    let dialect: Dialect
    let holding: Holding
    let documents: PushedDocuments

    /// Whether it pulls; writers only push.
    let pulls: Bool
    let batch: Int

    /// Seconds between two pushes; 0 for a writer that writes as fast as possible.
    let pause: ClosedRange<Double>

    /// Delay after each receive.
    var reading = Duration.zero
    private let position = PullPosition()

    var name: String { dialect.rawValue + (holding.scope.collection.map { " \($0)" } ?? "") + (pulls ? "" : " push") }
    var followed: Holding? { pulls ? holding : nil }

    init(
        _ world: World, _ dialect: Dialect, _ holding: Holding, _ documents: PushedDocuments, pulls: Bool = true, batch: Int = 1,
        pause: ClosedRange<Double>
    ) {
        self.world = world
        self.dialect = dialect
        self.holding = holding
        self.documents = documents
        self.pulls = pulls
        self.batch = batch
        self.pause = pause
    }

    func live() async throws {
        guard pulls || world.isWriting else { return }
        position.begin()
        let conversation = try await Conversation(world, holding.account, dialect)
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await conversation.receive(pausing: reading) { try await handle($0, conversation) } }
                group.addTask {
                    try await open(conversation)
                    try await push(conversation)
                }
                // A writer ends after the writing phase; a follower continues to read.
                try await group.next()
                if pulls { try await group.next() }
                await conversation.end()
                group.cancelAll()
            }
        } onCancel: {
            Task { await conversation.end() }
        }
    }

    private func open(_ conversation: Conversation) async throws {
        if let name = holding.scope.collection {
            let properties: BLIPProperties = dialect == .fourth ? ["uuid": documents.uuid] : [:]
            let body = #"{"checkpoint_ids":["soak"],"collections":["\#(name)"]}"#
            try await conversation.ask(.request("getCollections", properties: properties, body: Array(body.utf8)))
        }
        guard pulls else { return }
        var properties = properties
        properties.add("continuous", "true")
        properties.add("batch", "200")
        if let since = position.since { properties.add("since", since) }
        if dialect == .fourth { properties.add("versioning", "version-vectors") }
        try await conversation.ask(.request("subChanges", properties: properties))
    }

    /// Common properties of all messages.
    var properties: BLIPProperties { holding.scope.collection != nil ? ["collection": "0"] : [:] }

    private func handle(_ request: BLIPMessage, _ conversation: Conversation) async throws {
        switch request.profile {
        case "changes":
            let rows = try JSONValue(request.body).array ?? []
            position.expect(rows)
            guard !request.noReply else { return }
            let body = rows.isEmpty ? "" : "[\(rows.map { _ in "[]" }.joined(separator: ","))]"
            try await conversation.answer(.reply(to: request.number, properties: ["maxHistory": "20"], body: Array(body.utf8)))
        case "rev":
            let document = try JSONValue(request.body)
            if let id = request.properties["id"], let number = document["n"]?.int { holding.record(id, number: number) }
            position.receive()
            if !request.noReply { try await conversation.answer(.reply(to: request.number)) }
        case "norev":
            position.receive()
        default:
            try await conversation.answer(.error(to: request.number, domain: "BLIP", code: 404, message: "no handler"))
        }
    }
}

/// The pull position of a 2.x+ client. Revisions that were announced but not received before the connection ended are announced again.
final class PullPosition: Sendable {
    private struct State {
        /// The last sequence, as JSON, up to which all revisions were received, and the last announced sequence.
        var reached: String?
        var announced: String?
        var missing = 0
    }

    private let state = Lock(State())

    var since: String? { state.withLock { $0.reached } }

    /// Resets the position for a new connection.
    func begin() {
        state.withLock { state in
            state.announced = state.reached
            state.missing = 0
        }
    }

    func expect(_ rows: [JSONValue]) {
        guard let sequence = rows.last?.array?.first else { return }
        var json: [UInt8] = []
        sequence.append(to: &json)
        let text = String(decoding: json, as: UTF8.self)
        state.withLock { state in
            state.missing += rows.count
            state.announced = text
        }
    }

    /// Records a received revision, or a `norev` in its place.
    func receive() {
        state.withLock { state in
            state.missing -= 1
            if state.missing == 0 { state.reached = state.announced }
        }
    }
}
