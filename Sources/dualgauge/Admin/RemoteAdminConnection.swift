import AsyncHTTPClient
import Foundation
import HTTP
import NIOCore
import NIOHTTP1

/// The admin endpoints of a running bridge.
struct RemoteAdminConnection: AdminConnection {
    /// The size limit of a reply, in bytes: a list of a million names.
    private static let maximumAnswer = 64 << 20

    /// The default time limit for a reply, in seconds.
    static let timeout: Int64 = 30

    private let url: String
    private let credentials: BasicCredentials?
    private let tls: ClientTLS
    private let timeout: Int64

    /// - Parameter url: the database's URL on the admin port, such as `http://127.0.0.1:4985/shop`, without credentials.
    init(
        _ url: String, credentials: BasicCredentials? = nil, tls: ClientTLS = ClientTLS(), timeout: Int64 = RemoteAdminConnection.timeout
    ) {
        self.url = url
        self.credentials = credentials
        self.tls = tls
        self.timeout = timeout
    }

    func send(_ method: String, _ path: String, _ body: [UInt8]) async throws -> AdminReply {
        var request = HTTPClientRequest(url: "\(url)/\(path)")
        request.method = HTTPMethod(rawValue: method)
        if let credentials { request.headers.add(name: "Authorization", value: credentials.authorization) }
        if !body.isEmpty {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        // Without retries, a refused connection is reported at once; with retries, only after the timeout, which may be a day. Redirections are not
        // followed, because the credentials are for the bridge only.
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: url.hasPrefix("https:") ? tls.configuration : nil, redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        do {
            return try await HTTPClient.withHTTPClient(configuration: configuration) { [request, timeout] client in
                let response = try await client.execute(request, timeout: .seconds(timeout))
                let bytes = try await response.body.collect(upTo: Self.maximumAnswer)
                return AdminReply(status: Int(response.status.code), body: Array(bytes.readableBytesView))
            }
        } catch {
            throw AdminUnreachable(url: url, cause: error)
        }
    }
}

/// The admin port does not reply.
struct AdminUnreachable: Error {
    /// The URL without credentials.
    let url: String
    let cause: any Error

    /// The problem, and what to do.
    var message: String {
        "\(url) cannot be reached: \(NetworkErrorText.text(cause)). Is the bridge running, and is this its admin port (--admin, DUALGAUGE_ADMIN)?"
    }
}
