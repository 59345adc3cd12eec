import AsyncHTTPClient
import Documents
import Foundation
import HTTP
import NIOCore
import NIOHTTP1
import Peers

/// Feeds of users with few channels in a database with many documents. Their cost should be proportional to the documents that the user receives.
struct AccessPath: Sendable {
    /// Password of the measured users.
    private static let password = "benchmark"

    /// Password hash of all other users, who never log in. It spares the server ten thousand hashes, which are deliberately slow.
    private static let hash = Data("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8).base64EncodedString()

    let rows: AccessRows

    /// Creates users and documents through the admin port, and logs in the measured users, because the first login is deliberately slow.
    func prepare(port: Int, adminPort: Int) async throws {
        let names = Set(rows.measured.map(\.name))
        for user in rows.users {
            let channels = user.channels.map { "\"\($0)\"" }.joined(separator: ",")
            let secret = names.contains(user.name) ? "\"password\":\"\(Self.password)\"" : "\"passwordhash_bcrypt\":\"\(Self.hash)\""
            let body = ByteBuffer(string: "{\"admin_channels\":[\(channels)],\(secret)}")
            try await send(.PUT, "http://127.0.0.1:\(adminPort)/access/_user/\(user.name)", body)
        }
        for user in rows.measured { try await changes(of: user, count: 0, port: port) }
        for batch in rows.batches(500) { try await send(.POST, "http://127.0.0.1:\(adminPort)/access/_bulk_docs", batch) }
    }

    /// One measured feed.
    struct Feed {
        let name: String
        /// Number of received documents in all repetitions.
        let documents: Int
        let run: @Sendable (_ port: Int) async throws -> Void
    }

    /// The measured feeds. Each is repeated until about `documents` documents are received, because a single feed is shorter than the resolution
    /// of the processor time.
    func feeds(documents: Int) -> [Feed] {
        rows.measured.flatMap { user in
            let count = rows.documents(of: user)
            let repetitions = max(1, documents / max(1, count))
            let label = user.channels.count == 1 ? "1 channel" : "\(user.channels.count) channels"
            return [
                Feed(name: "_changes, a user with \(label)", documents: count * repetitions) { port in
                    for _ in 0..<repetitions { try await changes(of: user, count: count, port: port) }
                },
                Feed(name: "BLIP pull, a user with \(label)", documents: count * repetitions) { port in
                    for _ in 0..<repetitions { try await pull(by: user, count: count, port: port) }
                },
            ]
        }
    }

    private func changes(of user: AccessRows.User, count: Int, port: Int) async throws {
        let credentials = BasicCredentials(user: user.name, password: Self.password)
        try await send(.GET, "http://127.0.0.1:\(port)/access/_changes?style=all_docs", nil, credentials, rows: count)
    }

    private func pull(by user: AccessRows.User, count: Int, port: Int) async throws {
        var options = ModernOptions()
        options.credentials = BasicCredentials(user: user.name, password: Self.password)
        let peer = ModernPeer("ws://127.0.0.1:\(port)/access", options: options)
        try await peer.replicate()
        let fetched = await peer.fetched
        guard fetched == count else { throw PeerError("\(user.name) got \(fetched) of \(count)") }
    }

    private func send(
        _ method: HTTPMethod, _ url: String, _ body: ByteBuffer?, _ credentials: BasicCredentials? = nil, rows: Int? = nil
    ) async throws {
        var request = HTTPClientRequest(url: url)
        request.method = method
        if let credentials { request.headers.add(name: "Authorization", value: credentials.authorization) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        guard (200..<300).contains(Int(response.status.code)) else { throw PeerError("\(url): \(response.status)") }
        let bytes = try await response.body.collect(upTo: 256 << 20)
        guard let rows else { return }
        // Each row has one line; the opening, the closing and the array's end have one line each.
        let lines = bytes.readableBytesView.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        guard lines == rows + 3 else { throw PeerError("\(url): \(lines - 3) rows, \(rows) expected") }
    }
}

/// The users and documents of ``AccessPath``, the same in every run.
///
/// Documents are spread evenly over the channels, one channel each. Each user has consecutive channels.
struct AccessRows: Sendable {
    /// A user and its channels.
    struct User: Sendable {
        let name: String
        let channels: [String]
    }

    let documents: Int
    let channels: Int
    let users: [User]

    /// The users whose feeds are measured: with one channel, and with twenty.
    var measured: [User] { Array(users.prefix(2)) }

    init(documents: Int, users: Int, channels: Int) {
        self.documents = documents
        self.channels = channels
        self.users = (0..<max(users, 2)).map { number in
            let count = min(channels, number == 0 ? 1 : 20)
            return User(name: "user\(number)", channels: (0..<count).map { "c\((number &* 37 &+ $0) % channels)" })
        }
    }

    /// Number of documents that a user receives.
    func documents(of user: User) -> Int {
        (0..<documents).reduce(0) { $0 + (user.channels.contains(channel($1)) ? 1 : 0) }
    }

    /// Request bodies of `_bulk_docs`.
    func batches(_ size: Int) -> [ByteBuffer] {
        stride(from: 0, to: documents, by: size).map { start in
            let documents = (start..<min(start + size, documents)).map { number in
                let note = "\(number)".padding(toLength: 200, withPad: "0123456789 abcdef ", startingAt: 0)
                return "{\"_id\":\"doc-\(number)\",\"channels\":[\"\(channel(number))\"],\"note\":\"\(note)\"}"
            }
            return ByteBuffer(string: "{\"docs\":[\(documents.joined(separator: ","))]}")
        }
    }

    private func channel(_ number: Int) -> String { "c\(number % channels)" }
}
