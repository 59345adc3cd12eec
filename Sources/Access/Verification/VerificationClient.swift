import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Storage
import Synchronization

/// Asks verifiers over HTTP, so that none of them can hold us up, fill our memory or send us elsewhere: timeouts, a bound on what is read, TLS
/// with verification, no redirects, no decompression, a bound on what runs at once. Callers that ask the same at the same time share
/// one call: a pair of replications logs in twice at once.
///
/// Made once and closed with ``close()``.
public final class VerificationClient: Sendable {
    private let limits: VerificationLimits

    /// For hosts that the configuration names.
    private let configured: HTTPClient

    /// For hosts that others name: it refuses to talk to private addresses, whatever the host's name resolves to.
    private let discovered: HTTPClient
    private let calls = SharedCalls<VerificationRequest, VerificationResponse>()
    private let permits: Permits

    /// - Parameters:
    ///   - limits: what a call may take.
    ///   - authorityFile: a PEM file of authorities that are trusted in place of the system's.
    public init(limits: VerificationLimits = VerificationLimits(), authorityFile: String? = nil) {
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
        // A verifier that is down is answered with 503 at once.
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

    /// Ends what runs and lets go of all connections.
    public func close() async {
        try? await configured.shutdown()
        try? await discovered.shutdown()
    }

    /// The answer, whatever its status, redirects excepted.
    ///
    /// - Throws: ``LoginError`` `unavailable` if there is none to be used.
    func send(_ request: VerificationRequest) async throws(LoginError) -> VerificationResponse {
        do {
            guard request.isShared else { return try await inTime(request) }
            return try await calls.value(for: request) { try await self.inTime(request) }
        } catch let error as LoginError {
            throw error
        } catch {
            throw LoginError(.unavailable, "\(request.endpoint.host) cannot be asked; try again later", cause: error)
        }
    }

    private func inTime(_ request: VerificationRequest) async throws -> VerificationResponse {
        let late = LoginError(.unavailable, "\(request.endpoint.host) did not answer in time; try again later")
        return try await withThrowingTaskGroup(of: VerificationResponse.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                guard let response = try await self.permits.run({ try await self.exchange(request) }) else {
                    throw LoginError(.unavailable, "too many logins are being checked; try again later")
                }
                return response
            }
            group.addTask {
                // The bound on a verifier that says nothing: there is no event to wait for. Cancelled by its answer.
                try await Task.sleep(for: self.limits.timeout)
                throw late
            }
            guard let response = try await group.next() else { throw late }
            return response
        }
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
                .unavailable, "\(request.endpoint.host) answered with a redirect, and none is followed; configure the address it leads to")
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

/// What asking others may take.
public struct VerificationLimits: Hashable, Sendable {
    /// How long a connection may take to come about.
    public var connectTimeout: Duration = .seconds(5)

    /// How long one call may take altogether, waiting for its turn included.
    public var timeout: Duration = .seconds(10)

    /// The most bytes of an answer.
    public var responseSize = 1 << 20

    /// How many calls run at once.
    public var concurrency = 32

    /// How many calls wait for their turn; further ones fail at once.
    public var waiting = 512

    public init() {}
}

/// Lets callers that want the same at the same time share one piece of work.
final class SharedCalls<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let running = Mutex<[Key: Task<Value, any Error>]>([:])

    /// What `work` gives, or what the same work that is under way gives.
    ///
    /// The work goes on when a caller leaves: others may wait for it. It has to end by itself.
    func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = running.withLock { running in
            if let task = running[key] { return task }
            let task = Task {
                defer { self.remove(key) }
                return try await work()
            }
            running[key] = task
            return task
        }
        return try await task.value
    }

    private func remove(_ key: Key) {
        running.withLock { $0[key] = nil }
    }
}
