import AsyncHTTPClient
import Documents
import Foundation
import HTTP
import NIOCore
import NIOHTTP1
import Peers

/// One of the measured databases, with its public and admin ports.
struct ScaleDatabase: Sendable {
    /// Password of the readers.
    static let password = "benchmark"

    /// Password hash of all other users, who never log in. It spares the server its own hashes, which are deliberately slow.
    static let hash = Data("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8).base64EncodedString()

    /// A separate client, because the shared client opens at most eight connections, and feeds are open concurrently.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2_000
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let name: String
    let population: ScalePopulation
    let port: Int
    let adminPort: Int

    /// Path of its store.
    let store: String

    /// Last sequence of its feed at the last call of ``lookUpEnd()``.
    private(set) var end = "0"

    init(_ name: String, _ population: ScalePopulation, on server: ServedProcess, in folder: String) {
        self.name = name
        store = "\(folder)/\(name).dualgauge"
        self.population = population
        port = server.port
        adminPort = server.adminPort
    }

    /// Its entry below `databases:` in the bridge's configuration.
    static func configuration(_ name: String) -> String {
        "  \(name):\n    store: ./\(name).dualgauge\n    collections:\n      _default._default: { sync: \"\(ScalePopulation.syncFunction)\" }\n"
    }

    /// Creates users and documents, and logs in the readers, because the first login is deliberately slow.
    func fill() async throws {
        for number in 0..<population.users {
            let body = "{\"admin_channels\":[\"\(population.channel(number * 37))\"],\"passwordhash_bcrypt\":\"\(Self.hash)\"}"
            try await ask(.PUT, "_user/user\(number)", body, as: nil)
        }
        for reader in population.readers {
            let channels = reader.channels.map { "\"\($0)\"" }.joined(separator: ",")
            try await ask(.PUT, "_user/\(reader.name)", "{\"admin_channels\":[\(channels)],\"password\":\"\(Self.password)\"}", as: nil)
            try await ask(.GET, "", as: reader.name)
        }
        for batch in population.batches(of: 500) { _ = try await send(.POST, "_bulk_docs", batch, as: nil) }
    }

    mutating func lookUpEnd() async throws {
        let answer = try JSONValue(Array(try await body(of: .GET, "", nil, as: nil).collect(upTo: 1 << 20).readableBytesView))
        guard let last = answer["update_seq"]?.int else { throw PeerError("\(name) has no update_seq in its answer") }
        end = "\(last)"
    }

    /// Sends a request and reads the response to its end.
    ///
    /// - Parameter user: A reader; `nil` for the admin port.
    /// - Returns: Length of the response in bytes.
    @discardableResult
    func ask(_ method: HTTPMethod, _ path: String, _ body: String? = nil, as user: String?) async throws -> Int {
        try await send(method, path, body.map { ByteBuffer(string: $0) }, as: user)
    }

    private func send(_ method: HTTPMethod, _ path: String, _ body: ByteBuffer?, as user: String?) async throws -> Int {
        var bytes = 0
        for try await part in try await self.body(of: method, path, body, as: user) { bytes += part.readableBytes }
        return bytes
    }

    /// Pulls over BLIP from the beginning.
    ///
    /// - Returns: Number of received documents.
    func pull(as user: String) async throws -> Int {
        var options = ModernOptions()
        options.credentials = BasicCredentials(user: user, password: Self.password)
        let peer = ModernPeer("ws://127.0.0.1:\(port)/\(name)", options: options)
        try await peer.replicate()
        return await peer.fetched
    }

    /// Pushes new documents over BLIP.
    func push(_ name: String, count: Int, as user: String) async throws -> Int {
        var options = ModernOptions()
        options.credentials = BasicCredentials(user: user, password: Self.password)
        let peer = ModernPeer("ws://127.0.0.1:\(port)/\(self.name)", options: options)
        let revisions = (0..<count).map { number in
            PeerRevision(
                id: "\(name)-\(number)", history: [RevisionID("1-a")].compactMap { $0 }, body: Array(#"{"channels":["written"]}"#.utf8))
        }
        try await peer.replicate(push: ["": revisions], pull: false)
        return count
    }

    /// Holds continuous feeds of a reader of one channel open while `work` runs.
    func following<Value: Sendable>(_ count: Int, _ work: () async throws -> Value) async throws -> Value {
        let database = self
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let feeds = (0..<count).map { _ in
            Task {
                let feed = try await database.body(
                    of: .GET, "_changes?feed=continuous&since=\(database.end)&heartbeat=60000", nil, as: "one")
                var isOpen = false
                for try await _ in feed where !isOpen {
                    open.yield()
                    isOpen = true
                }
            }
        }
        defer { for feed in feeds { feed.cancel() } }
        var rest = count
        if rest > 0 {
            for await _ in opened {
                rest -= 1
                if rest == 0 { break }
            }
        }
        return try await work()
    }

    private func body(
        of method: HTTPMethod, _ path: String, _ body: ByteBuffer?, as user: String?
    ) async throws -> HTTPClientResponse.Body {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(user == nil ? adminPort : port)/\(name)/\(path)")
        request.method = method
        if let user {
            request.headers.add(name: "Authorization", value: BasicCredentials(user: user, password: Self.password).authorization)
        }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        let response = try await Self.client.execute(request, timeout: .minutes(30))
        guard (200..<300).contains(Int(response.status.code)) else { throw PeerError("\(method) \(request.url): \(response.status)") }
        return response.body
    }
}
