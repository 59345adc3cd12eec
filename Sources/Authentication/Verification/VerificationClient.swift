import Access
import AsyncHTTPClient
import Coordination
import HTTP
import NIOCore
import NIOHTTP1
import NIOSSL
import Storage

/// An HTTP client for verifiers that limits the effect of a faulty or hostile server:
/// - timeouts, a limit on the size of replies, and a limit on concurrent requests;
/// - verified TLS;
/// - no redirects and no decompression.
///
/// Concurrent callers with the same request share one call: a pair of replications logs in twice at once.
///
/// Created once and closed with ``close()``.
package final class VerificationClient: Sendable {
    private let limits: VerificationLimits

    /// For hosts from the configuration.
    private let configured: HTTPClient

    /// For hosts from replies: refuses private addresses, whatever the host name resolves to.
    private let discovered: HTTPClient
    private let calls = SingleFlight<VerificationRequest, VerificationResponse>()
    private let permits: Permits

    /// - Parameters:
    ///   - limits: The limits of a call.
    ///   - authorityFile: A PEM file of certificate authorities that replace the system's.
    package init(limits: VerificationLimits = VerificationLimits(), authorityFile: String? = nil) {
        self.limits = limits
        permits = Permits(count: limits.concurrency, waiting: limits.waiting)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(limits.connectTimeout), read: TimeAmount(limits.timeout)),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        // The client's own spans have the URL, and with it a user's data.
        configuration.tracing.tracer = nil
        // If a verifier is down, reply with 503 immediately.
        configuration.connectionPool.retryConnectionEstablishment = false
        configured = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        configuration.http1_1ConnectionDebugInitializer = { channel in
            guard channel.remoteAddress?.isPublic == true else {
                channel.close(promise: nil)
                return channel.eventLoop.makeFailedFuture(LoginError(.unavailable, "the host's address is in a private network"))
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        discovered = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Cancels running requests and closes all connections.
    package func close() async {
        try? await configured.shutdown()
        try? await discovered.shutdown()
    }

    /// The reply, with any status except for redirects.
    ///
    /// - Throws: ``LoginError`` `unavailable` if there is no usable reply.
    func send(_ request: VerificationRequest) async throws(LoginError) -> VerificationResponse {
        do {
            guard request.isShared else { return try await sendWithTimeout(request) }
            return try await calls.value(for: request) { try await self.sendWithTimeout(request) }
        } catch let error as LoginError {
            throw error
        } catch {
            throw Self.unavailable("cannot be reached", request, error)
        }
    }

    private func sendWithTimeout(_ request: VerificationRequest) async throws -> VerificationResponse {
        let response = try await withTimeout(limits.timeout) {
            guard let response = try await self.permits.run({ try await self.exchange(request) }) else {
                throw LoginError(.unavailable, "too many logins are being checked; try again later")
            }
            return response
        }
        guard let response else {
            throw Self.unavailable("did not answer in time", request)
        }
        return response
    }

    /// The client is not told the name of an internal host; the log is.
    private static func unavailable(_ failure: String, _ request: VerificationRequest, _ cause: (any Error)? = nil) -> LoginError {
        LoginError(
            .unavailable, "The server that checks the login \(failure); try again later",
            cause: LoginError(.unavailable, "\(request.endpoint.host) \(failure)", cause: cause))
    }

    private func exchange(_ request: VerificationRequest) async throws -> VerificationResponse {
        var outgoing = HTTPClientRequest(url: request.endpoint.url)
        outgoing.headers.add(name: "Accept", value: "application/json")
        for header in request.headers { outgoing.headers.add(name: header.name, value: header.value.revealed) }
        if let form = request.form {
            outgoing.method = .POST
            outgoing.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            outgoing.body = .bytes(ByteBuffer(string: form.revealed))
        }
        let client = request.endpoint.isConfigured ? configured : discovered
        let response = try await client.execute(outgoing, timeout: TimeAmount(limits.timeout))
        guard !(300..<400 ~= response.status.code) else {
            throw LoginError(
                .unavailable, "\(request.endpoint.host) answered with a redirect, which is not followed; configure the redirect's target")
        }
        var body: [UInt8] = []
        for try await buffer in response.body {
            guard body.count + buffer.readableBytes <= limits.responseSize else {
                throw LoginError(.unavailable, "\(request.endpoint.host) answered with more than \(limits.responseSize) bytes")
            }
            body.append(contentsOf: buffer.readableBytesView)
        }
        return VerificationResponse(status: Int(response.status.code), body: body)
    }
}

/// The limits of requests to verifiers.
package struct VerificationLimits: Hashable, Sendable {
    /// The timeout for connecting.
    package var connectTimeout: Duration = .seconds(5)

    /// The timeout of a whole call, including its time in the queue.
    package var timeout: Duration = .seconds(10)

    /// The maximum size of a reply, in bytes.
    package var responseSize = 1 << 20

    /// The maximum number of concurrent calls.
    package var concurrency = 32

    /// The maximum number of waiting calls. Further calls fail immediately.
    package var waiting = 512

    package init() {}
}
