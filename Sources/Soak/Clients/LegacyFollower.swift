import AsyncHTTPClient
import Coordination
import Documents
import Foundation
import HTTP
import HTTPTypes
import NIOCore
import NIOHTTP1
import Peers

/// A 1.x app with a continuous replication: it follows one of the feeds, fetches revisions with `_bulk_get`, and pushes its edits.
struct LegacyFollower: SoakClient {
    enum Feed: String { case longpoll, continuous, websocket }

    let world: World
    let feed: Feed
    let holding: Holding
    let documents: PushedDocuments

    /// Seconds between two pushes.
    let pause: ClosedRange<Double>
    private let peer: LegacyPeer
    private let wire: HTTPWire

    /// The last processed sequence.
    private let since = Place()

    var name: String { "1.x \(feed.rawValue)" }
    var followed: Holding? { holding }

    init(_ world: World, _ feed: Feed, _ holding: Holding, _ documents: PushedDocuments, pause: ClosedRange<Double>) {
        self.world = world
        self.feed = feed
        self.holding = holding
        self.documents = documents
        self.pause = pause
        let client = world.http()
        wire = HTTPWire(client: client, base: world.url, credentials: holding.account.credentials)
        peer = LegacyPeer(world.url, credentials: holding.account.credentials, client: client)
    }

    /// A client's read position, which outlives connections.
    final class Place: Sendable {
        private let text = Lock("0")
        var value: String { text.withLock { $0 } }
        func set(_ value: JSONValue?) {
            guard let value = value?.string ?? value?.int.map({ "\($0)" }) else { return }
            text.withLock { $0 = value }
        }
    }

    private static let beat = 30_000

    private var query: String {
        "style=all_docs&heartbeat=\(Self.beat)&since=\(PercentEncoding.encodeQueryComponent(since.value))"
    }

    func live() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await follow() }
            group.addTask { try await push() }
            defer { group.cancelAll() }
            // After the writing phase the client continues to read.
            try await group.next()
            try await group.next()
        }
    }

    private func push() async throws {
        while world.isWriting {
            try await suspend(for: .seconds(Double.random(in: pause)))
            try await documents.push(1, in: world) { try await peer.push($0.map(\.revision)) }
        }
    }

    private func follow() async throws {
        switch feed {
        case .longpoll: while true { try await poll() }
        case .continuous: try await readLines()
        case .websocket: try await readMessages()
        }
    }

    private func poll() async throws {
        let response = try await open("_changes?feed=longpoll&limit=500&\(query)")
        let answer = try JSONValue(Array(buffer: try await response.body.collect(upTo: 64 << 20)))
        try await fetch(answer["results"]?.array ?? [])
        since.set(answer["last_seq"])
    }

    private func readLines() async throws {
        let response = try await open("_changes?feed=continuous&\(query)")
        var rest: [UInt8] = []
        for try await part in response.body {
            rest += part.readableBytesView
            guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            let rows = try rest[..<end].split(separator: UInt8(ascii: "\n")).map { try JSONValue($0) }.filter { $0["id"] != nil }
            rest.removeSubrange(...end)
            try await fetch(rows)
            since.set(rows.last?["seq"])
        }
        // The app connects again at once, although its pushes go on.
        throw SoakError("the feed was ended")
    }

    private func open(_ path: String) async throws -> HTTPClientResponse {
        // Feeds end after this time, as those of many clients do.
        let response = try await wire.open(.GET, path, timeout: .seconds(600))
        guard response.status == .ok else {
            _ = try await response.body.collect(upTo: 1 << 20)
            throw SoakError("a feed was answered with \(response.status.code)")
        }
        return response
    }

    private func readMessages() async throws {
        var options = WebSocketClient.Options()
        if let authorization = wire.authorization { options.headers[.authorization] = authorization }
        let socket = try await WebSocketClient.connect(to: "\(world.webSocketURL)/_changes?feed=websocket", options: options).connection
        defer { socket.drop() }
        try await socket.send(.text(#"{"style":"all_docs","heartbeat":\#(Self.beat),"since":"\#(since.value)"}"#))
        while let messages = try await socket.receive() {
            for message in messages where !message.bytes.isEmpty {
                let rows = try JSONValue(message.bytes).array ?? []
                try await fetch(rows)
                since.set(rows.last?["seq"])
            }
        }
        throw SoakError("the socket was closed: \(socket.closure.map { "\($0)" } ?? "")")
    }

    /// Fetches the revisions of the rows. Newer revisions have their own rows.
    private func fetch(_ rows: [JSONValue]) async throws {
        let wanted = rows.compactMap { row in
            row["id"]?.string.flatMap { id in row["changes"]?.array?.first?["rev"]?.string.map { #"{"id":"\#(id)","rev":"\#($0)"}"# } }
        }
        for start in stride(from: 0, to: wanted.count, by: 100) {
            let batch = wanted[start..<min(start + 100, wanted.count)].joined(separator: ",")
            let answer = try await wire.send(.POST, "_bulk_get?revs=true", #"{"docs":[\#(batch)]}"#)
            for document in (answer["results"]?.array ?? []).compactMap({ $0["docs"]?.array?.first?["ok"] }) {
                if let id = document["_id"]?.string, let revision = document["_rev"]?.string { holding.record(id, revision) }
            }
        }
    }
}
