import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The endpoints of a running bridge.
struct RemoteAdminConnection: AdminConnection {
    /// The largest answer, in bytes: a list of a million names.
    private static let maximumAnswer = 64 << 20

    private let url: String
    private let timeout: TimeAmount

    /// - Parameters:
    ///   - url: of the database on the admin port, such as `http://127.0.0.1:4985/shop`.
    ///   - seconds: how long an answer may take.
    init(_ url: String, seconds: Int64 = 30) throws {
        timeout = .seconds(seconds)
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
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: timeout)
            let bytes = try await response.body.collect(upTo: Self.maximumAnswer)
            return AdminReply(status: Int(response.status.code), body: Array(bytes.readableBytesView))
        } catch {
            throw AdminUnreachable(url: url, cause: error)
        }
    }
}
