import AsyncHTTPClient
import Foundation
import HTTP
import NIOCore
import NIOHTTP1

/// The endpoints of a running bridge.
struct RemoteAdminConnection: AdminConnection {
    /// The largest answer, in bytes: a list of a million names.
    private static let maximumAnswer = 64 << 20

    /// How many seconds an answer may take.
    static let patience: Int64 = 30

    private let url: String
    private let credentials: BasicCredentials?
    private let tls: ClientTLS
    private let patience: Int64

    /// - Parameter url: of the database on the admin port, such as `http://127.0.0.1:4985/shop`, without credentials.
    init(
        _ url: String, credentials: BasicCredentials? = nil, tls: ClientTLS = ClientTLS(), patience: Int64 = RemoteAdminConnection.patience
    ) {
        self.url = url
        self.credentials = credentials
        self.tls = tls
        self.patience = patience
    }

    func send(_ method: String, _ path: String, _ body: [UInt8]) async throws -> AdminReply {
        var request = HTTPClientRequest(url: "\(url)/\(path)")
        request.method = HTTPMethod(rawValue: method)
        if let credentials { request.headers.add(name: "Authorization", value: credentials.authorization) }
        if !body.isEmpty {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        // A port where nobody listens is told at once: the client would try again until the time is up, which may be a day.
        // Credentials go to the bridge alone, so no redirection is followed.
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: url.hasPrefix("https:") ? tls.configuration : nil, redirectConfiguration: .disallow)
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

/// An admin port that does not answer.
struct AdminUnreachable: Error {
    /// Without credentials.
    let url: String
    let cause: any Error

    /// What happened and what to do.
    var message: String {
        "\(url) cannot be reached: \(NetworkErrorText.text(cause)). Is the bridge running, and is this its admin port (--admin, DUALGAUGE_ADMIN)?"
    }
}
