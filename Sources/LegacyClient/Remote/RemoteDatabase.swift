import AsyncHTTPClient
import Compression
import Coordination
import Documents
import Foundation
import HTTP
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Telemetry

/// A replication's connection to a database on a server: its login, cookies, and the detected features of the server.
///
/// Created for each run and closed with ``close()``.
final class RemoteDatabase: Sendable {
    private struct State {
        var jar: CookieJar
        var features = ServerFeatures()
        var authorization: String?
        var bytes = 0
    }

    let url: RemoteURL
    let settings: ReplicationSettings
    let limits: ReplicationLimits
    let clock: any Clock<Duration>

    /// Raised when the run has to end. Requests are then no longer retried, and wait only for a limited time.
    let stopSignal: StopSignal
    private let transport: any RemoteTransport
    private let login: RemoteLogin

    /// The trusted servers, and the client certificate.
    let tls: ClientTLS
    private let state: Lock<State>

    /// - Parameter transport: Sends the requests; HTTP by default.
    init(
        _ url: RemoteURL, settings: ReplicationSettings, limits: ReplicationLimits, clock: any Clock<Duration>,
        stopSignal: StopSignal = StopSignal(), transport: (any RemoteTransport)? = nil
    ) throws(ReplicationError) {
        self.url = url
        self.stopSignal = stopSignal
        self.settings = settings
        self.limits = limits
        self.clock = clock
        login = RemoteLogin(url.credentials == nil ? settings.authenticator : nil)
        state = Lock(State(jar: CookieJar(settings.cookies), authorization: url.credentials?.authorization))
        tls = try settings.tls
        self.transport = transport ?? Self.client(url, tls, limits, settings.proxy)
    }

    private static func client(
        _ url: RemoteURL, _ tls: ClientTLS, _ limits: ReplicationLimits, _ proxy: OutboundProxy?
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: url.isSecure ? tls.configuration : nil,
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(limits.connectTimeout), read: TimeAmount(limits.readTimeout)),
            decompression: .enabled(limit: .none))
        configuration.httpVersion = .http1Only
        // The client's own spans have the URL, and with it the IDs of documents.
        configuration.tracing.tracer = nil
        configuration.proxy = proxy.map { proxy in
            .server(
                host: proxy.host, port: proxy.port,
                authorization: proxy.credentials.map { .basic(username: $0.user, password: $0.password) })
        }
        // The changes feed occupies one connection.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = limits.concurrency + 2
        // Retries follow Couchbase Lite's rules instead.
        configuration.connectionPool.retryConnectionEstablishment = false
        if url.isSecure, tls.usesCustomVerification { configuration.http1_1ConnectionDebugInitializer = { tls.judge($0) } }
        return HTTPClient(eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }

    /// Cancels running requests and closes all connections.
    func close() async {
        await transport.close()
    }

    var features: ServerFeatures { state.withLock { $0.features } }

    var cookies: [StoredCookie] { state.withLock { $0.jar.cookies } }

    /// Records a feature that the server has refused.
    func record(_ change: @Sendable (inout ServerFeatures) -> Void) {
        state.withLock { change(&$0.features) }
    }

    /// The bytes of sent and received bodies since the last call, uncompressed.
    func takeBytes() -> Int {
        state.withLock { state in
            defer { state.bytes = 0 }
            return state.bytes
        }
    }

    private func count(_ bytes: Int) {
        state.withLock { $0.bytes += bytes }
    }

    /// Sends this `Authorization` header with every following request; `nil` for none.
    func sendAlways(authorization: String?) {
        state.withLock { $0.authorization = authorization }
    }

    /// Logs in, if the authenticator requires it.
    func logIn() async throws {
        try await login.begin(on: self)
    }

    /// Sends a request and returns the JSON of the response.
    ///
    /// - Parameter authenticates: Whether a 401 causes a login.
    /// - Throws: ``ReplicationError``.
    func json(_ request: RemoteRequest, authenticates: Bool = true) async throws -> [UInt8] {
        try await retrying(request) {
            try await self.sendOnce(request, authenticates: authenticates).bytes(upTo: self.limits.answerSize)
        }
    }

    /// Sends a request, and sends it again after a transient error or the end of the session.
    ///
    /// - Returns: A response with a status from 200 to 299.
    /// - Throws: ``ReplicationError``.
    func send(_ request: RemoteRequest) async throws -> RemoteResponse {
        try await retrying(request) { try await self.sendOnce(request, authenticates: true) }
    }

    /// The response with its headers to a request that needs no login.
    func answer(_ request: RemoteRequest) async throws -> RemoteResponse {
        try await retrying(request) { try await self.sendOnce(request, authenticates: false) }
    }

    private func retrying<Value: Sendable>(_ request: RemoteRequest, _ exchange: () async throws -> Value) async throws -> Value {
        for delay in request.isRetried ? limits.requestDelays : [] {
            do {
                return try await exchange()
            } catch let error as ReplicationError where error.isTransient && !stopSignal.isRaised {
                // Report it at once: a continuous replication shows that it is interrupted.
                if error.origin == .intermediary, request.isConfirmed || settings.continuous { throw error }
                try await stopSignal.interrupting { [clock] in try await clock.sleep(for: delay) }
            }
        }
        return try await exchange()
    }

    private func sendOnce(_ request: RemoteRequest, authenticates: Bool) async throws -> RemoteResponse {
        guard authenticates else { return try await exchange(request) }
        return try await authenticating { try await self.exchange(request) }
    }

    /// Runs an exchange that requires a login, and runs it once more after a new login if the session has ended.
    ///
    /// - Throws: The errors of the exchange; ``ReplicationError`` if the login is refused.
    func authenticating<Value: Sendable>(_ exchange: () async throws -> Value) async throws -> Value {
        let generation = await login.generation
        do {
            return try await exchange()
        } catch let error as ReplicationError where error.code == .unauthorized {
            guard try await login.renew(after: generation, on: self) else { throw error }
            return try await exchange()
        }
    }

    private func exchange(_ request: RemoteRequest) async throws -> RemoteResponse {
        let target = "\(request.isAtRoot ? url.root : url.base)/\(request.path)"
        do {
            let response = try await answer(to: request, at: target)
            let now = Int64(Date().timeIntervalSince1970)
            state.withLock { state in
                state.features.read(server: response.headers.first(name: "Server"))
                for header in response.headers[canonicalForm: "Set-Cookie"] { state.jar.store(setCookie: String(header), now: now) }
            }
            let answer = RemoteResponse(
                url: target, status: Int(response.status.code), headers: response.headers,
                body: CountedBody(body: response.body) { self.count($0) })
            guard 200..<300 ~= answer.status || request.takesChallenges && answer.status == 401 else { throw await refusal(answer) }
            guard !answer.isPage || request.takesPages else {
                throw ReplicationError(
                    .upstream, "\(target) answered with a web page, which is not from the server; check the proxy in front of it",
                    from: .intermediary)
            }
            return answer
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ReplicationError(exchange: error, with: target)
        }
    }

    /// Sends a request and follows redirections that preserve its method.
    ///
    /// Redirections are handled here because the HTTP client crashes the process on a redirection to an invalid port.
    private func answer(to request: RemoteRequest, at target: String) async throws -> HTTPClientResponse {
        let deadline = stopSignal.isRaised ? NIODeadline.now() + TimeAmount(limits.stopTime) : .distantFuture
        var (place, isOwn) = (target, true)
        for _ in 0...Redirection.maximum {
            var outgoing = try outgoing(request, to: place)
            // Do not send secrets to another server.
            if !isOwn { for secret in ["Authorization", "Cookie"] { outgoing.headers.remove(name: secret) } }
            let response = try await transport.execute(outgoing, deadline: deadline)
            let status = Int(response.status.code)
            let location = response.headers.first(name: "Location")
            guard request.method == .GET || status > 303,
                let next = Redirection(status: status, location: location, from: place, schemes: WebURL.http)
            else { return response }
            (place, isOwn) = (next.url, isOwn && next.isSameOrigin)
        }
        throw HTTPClientError.redirectLimitReached
    }

    private func outgoing(_ request: RemoteRequest, to target: String) throws -> HTTPClientRequest {
        var outgoing = HTTPClientRequest(url: target)
        outgoing.method = request.method
        BridgeTracer.inject(into: &outgoing.headers, OutgoingTraceHeaders())
        for (name, value) in headers(for: request.path, method: request.method.rawValue, target: target) {
            outgoing.headers.replaceOrAdd(name: name, value: value)
        }
        outgoing.headers.replaceOrAdd(name: "Accept", value: request.accept)
        outgoing.headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip")
        for (name, value) in request.headers { outgoing.headers.replaceOrAdd(name: name, value: value) }
        switch request.body {
        case .none: break
        case .json(let bytes):
            count(bytes.count)
            outgoing.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
            if request.isCompressible, bytes.count > 100, features.takesCompressedRequests {
                outgoing.headers.replaceOrAdd(name: "Content-Encoding", value: "gzip")
                outgoing.body = .bytes(ByteBuffer(bytes: try Deflater().write(bytes, flush: .finish)))
            } else {
                outgoing.body = .bytes(ByteBuffer(bytes: bytes))
            }
        case .stream(let type, let length, let stream):
            count(Int(clamping: length))
            outgoing.headers.replaceOrAdd(name: "Content-Type", value: type)
            outgoing.body = .stream(stream, length: .known(length))
        }
        return outgoing
    }

    /// The headers of every request, including that of a WebSocket.
    func headers(for path: String, method: String, target: String) -> [(String, String)] {
        let now = Int64(Date().timeIntervalSince1970)
        var headers = [("User-Agent", "CouchbaseLite/1.3 (Dualgauge)")]
        let (cookie, authorization) = state.withLock { state in
            (state.jar.header(path: "\(url.path)/\(path)", isSecure: url.isSecure, now: now), state.authorization)
        }
        if let cookie { headers.append(("Cookie", cookie)) }
        if let authorization { headers.append(("Authorization", authorization)) }
        if case .oauth(let oauth) = settings.authenticator?.method {
            let nonce = UUID().uuidString
            headers.append(("Authorization", oauth.authorization(method: method, url: target, timestamp: now, nonce: nonce)))
        }
        headers += settings.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return headers
    }

    private func refusal(_ answer: RemoteResponse) async -> ReplicationError {
        let body = (try? await answer.bytes(upTo: limits.errorSize)) ?? []
        return ReplicationError(
            status: answer.status, url: answer.url,
            from: .init(server: answer.headers.first(name: "Server"), contentType: answer.headers.first(name: "Content-Type"), body: body),
            body: body)
    }
}

/// Sends requests to a server: over HTTP, or in simulations to a server in the same process.
protocol RemoteTransport: Sendable {
    /// - Parameter deadline: When the head of the response must have arrived.
    /// - Returns: The head of the response; its body may still be arriving.
    func execute(_ request: HTTPClientRequest, deadline: NIODeadline) async throws -> HTTPClientResponse

    /// Cancels running requests and closes all connections.
    func close() async
}

extension HTTPClient: RemoteTransport {
    func execute(_ request: HTTPClientRequest, deadline: NIODeadline) async throws -> HTTPClientResponse {
        try await execute(request, deadline: deadline, logger: nil)
    }

    func close() async {
        try? await shutdown()
    }
}
