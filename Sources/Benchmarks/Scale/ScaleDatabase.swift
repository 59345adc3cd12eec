import AsyncHTTPClient
import Documents
import Foundation
import HTTP
import NIOCore
import NIOHTTP1
import Peers

/// One of the measured databases, by its two ports.
struct ScaleDatabase: Sendable {
    /// The password of the readers.
    static let password = "benchmark"

    /// The other users never log in: a ready hash spares the server its own, which are made to be slow.
    static let hash = Data("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8).base64EncodedString()

    let name: String
    let population: ScalePopulation
    let port: Int
    let adminPort: Int

    /// Where its feed ended when that was looked up last.
    private(set) var end = "0"

    init(_ name: String, _ population: ScalePopulation, on server: ServedProcess) {
        self.name = name
        self.population = population
        port = server.port
        adminPort = server.adminPort
    }

    /// What stands below `databases:` in the bridge's configuration.
    static func configuration(_ name: String) -> String {
        "  \(name):\n    store: ./\(name).dualgauge\n    collections:\n      _default._default: { sync: \"\(ScalePopulation.syncFunction)\" }\n"
    }

    /// Creates users and documents, and logs the readers in: their first login is slow on purpose.
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
        guard let last = answer["update_seq"]?.int else { throw PeerError("\(name) tells no update_seq") }
        end = "\(last)"
    }

    /// Sends a request, and reads the answer to its end.
    ///
    /// - Parameter user: a reader; `nil` for the admin port.
    /// - Returns: how many bytes the answer has.
    @discardableResult
    func ask(_ method: HTTPMethod, _ path: String, _ body: String? = nil, as user: String?) async throws -> Int {
        try await send(method, path, body.map { ByteBuffer(string: $0) }, as: user)
    }

    private func send(_ method: HTTPMethod, _ path: String, _ body: ByteBuffer?, as user: String?) async throws -> Int {
        var bytes = 0
        for try await part in try await self.body(of: method, path, body, as: user) { bytes += part.readableBytes }
        return bytes
    }

    /// A pull over BLIP from the beginning.
    ///
    /// - Returns: how many documents came.
    func pull(as user: String) async throws -> Int {
        var options = ModernOptions()
        options.credentials = BasicCredentials(user: user, password: Self.password)
        let peer = ModernPeer("ws://127.0.0.1:\(port)/\(name)", options: options)
        try await peer.replicate()
        return await peer.fetched
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
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        guard (200..<300).contains(Int(response.status.code)) else { throw PeerError("\(method) \(request.url): \(response.status)") }
        return response.body
    }
}
