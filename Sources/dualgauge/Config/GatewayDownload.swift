import AsyncHTTPClient
import BridgeConfiguration
import Foundation
import HTTP
import NIOCore
import NIOHTTP1
import NIOSSL
import Server

/// Fetches URLs of a Sync Gateway or of a server with its functions, with limits for time and size.
enum GatewayDownload {
    private static let timeout: Int64 = 30

    /// The login at the admin port. It is sent to this origin only.
    private struct Login {
        let origin: String
        let header: String
    }

    /// Runs `body` with a transport.
    ///
    /// - Parameter server: the admin port's URL, with user and password if the port requires them.
    static func run<Value>(server: String?, _ body: (GatewayTransport) async throws -> Value) async throws -> Value {
        let login = server.flatMap(login)
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(
                GatewayTransport { url, maximum in try await get(url, maximum: maximum, login: login, client) })
        }
    }

    private static func get(
        _ url: String, maximum: Int, login: Login?, _ client: HTTPClient
    ) async throws -> GatewayTransport.Answer {
        guard WebURL(url, schemes: WebURL.http) != nil else {
            throw GatewayUnreachable(url: url, reason: "this is not the URL of a server: http or https, a host, and a port up to 65535")
        }
        do {
            let response = try await response(at: url, login: login, client)
            let body = try await response.body.collect(upTo: maximum)
            return GatewayTransport.Answer(status: Int(response.status.code), body: Array(body.readableBytesView))
        } catch {
            throw GatewayUnreachable(url: url, reason: reason(error, maximum: maximum))
        }
    }

    /// Follows redirections only without a login, because a login is for one server.
    private static func response(at url: String, login: Login?, _ client: HTTPClient) async throws -> HTTPClientResponse {
        var target = url
        for _ in 0...Redirection.maximum {
            var request = HTTPClientRequest(url: target)
            request.headers.add(name: "Accept", value: "application/json, application/javascript, text/plain")
            if let login, target.hasPrefix(login.origin + "/") { request.headers.add(name: "Authorization", value: login.header) }
            let response = try await client.execute(request, timeout: .seconds(timeout))
            let location = response.headers.first(name: "Location")
            guard login == nil,
                let next = Redirection(status: Int(response.status.code), location: location, from: target, schemes: WebURL.http)
            else { return response }
            target = next.url
        }
        throw HTTPClientError.redirectLimitReached
    }

    private static func reason(_ error: any Error, maximum: Int) -> String {
        if error is NIOTooManyBytesError { return "the answer has more than \(maximum >> 20) MiB" }
        if error is NIOSSLError { return "the server's certificate is not trusted, or the server does not use TLS" }
        switch error as? HTTPClientError {
        case .deadlineExceeded, .connectTimeout, .readTimeout, .getConnectionFromPoolTimeout: return "the server does not answer in time"
        case .redirectLimitReached: return "it redirects too often"
        default: return "the server cannot be reached"
        }
    }

    private static func login(_ server: String) -> Login? {
        guard var url = URLComponents(string: server), let user = url.user else { return nil }
        let credentials = Data("\(user):\(url.password ?? "")".utf8).base64EncodedString()
        (url.user, url.password, url.path) = (nil, nil, "")
        return url.string.map { Login(origin: $0, header: "Basic \(credentials)") }
    }
}
