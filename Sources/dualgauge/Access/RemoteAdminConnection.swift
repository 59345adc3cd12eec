import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The endpoints of a running bridge.
struct RemoteAdminConnection: AdminConnection {
    /// The largest answer, in bytes: a list of a million names.
    private static let maximumAnswer = 64 << 20

    /// How many seconds an answer may take.
    static let patience: Int64 = 30

    private let url: String
    private let patience: Int64

    /// - Parameter url: of the database on the admin port, such as `http://127.0.0.1:4985/shop`.
    init(_ url: String, patience: Int64 = RemoteAdminConnection.patience) throws {
        self.patience = patience
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme ?? ""), parts.host != nil,
            !parts.path.trimmingCharacters(in: ["/"]).isEmpty
        else { throw ValidationError("--admin takes the database's URL on the admin port, such as http://127.0.0.1:4985/shop.") }
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    func send(_ method: String, _ path: String, _ body: [UInt8]) async throws -> AdminReply {
        var request = HTTPClientRequest(url: "\(url)/\(path)")
        request.method = HTTPMethod(rawValue: method)
        if !body.isEmpty {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        // A port where nobody listens is told at once: the client would try again until the time is up, which may be a day.
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        do {
            return try await HTTPClient.withHTTPClient(configuration: configuration) { [request, patience] client in
                let response = try await client.execute(request, timeout: .seconds(patience))
                let bytes = try await response.body.collect(upTo: Self.maximumAnswer)
                return AdminReply(status: Int(response.status.code), body: Array(bytes.readableBytesView))
            }
        } catch {
            throw AdminUnreachable(url: url, cause: error)
        }
    }
}
