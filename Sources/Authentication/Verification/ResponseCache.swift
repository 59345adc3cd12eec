import Access
import Coordination
import Crypto

/// Caches replies for a while, so that a reconnecting fleet causes as many requests as it has users, rather than as many as it has devices.
///
/// Only replies with status 200 are cached, by a digest of the URL and the headers.
final class ResponseCache: VerificationSender {
    private struct Answer {
        let response: VerificationResponse
        let end: Int64
    }

    /// The maximum number of cached replies, and the maximum size of a reply in bytes.
    private static let capacity = 1_000
    private static let size = 16 << 10

    private let client: VerificationClient
    private let lifetime: Int64
    private let clock: AccessClock
    private let answers = Lock(BoundedCache<[UInt8], Answer>(capacity: capacity))

    /// The key of the digests, without which digests of credentials are useless to an attacker.
    private let digestKey = SymmetricKey(size: .bits256)

    /// - Parameter lifetime: The lifetime of a cached reply, in seconds.
    init(_ client: VerificationClient, lifetime: Int64, clock: AccessClock) {
        self.client = client
        self.lifetime = lifetime
        self.clock = clock
    }

    func send(_ request: VerificationRequest) async throws(LoginError) -> VerificationResponse {
        let digest = digest(of: request)
        if let known = answers.withLock({ $0[digest] }), clock.uptimeSeconds < known.end { return known.response }
        let response = try await client.send(request)
        if response.status == 200, response.body.count <= Self.size {
            let answer = Answer(response: response, end: clock.uptimeSeconds + lifetime)
            answers.withLock { $0.insert(answer, for: digest) }
        }
        return response
    }

    private func digest(of request: VerificationRequest) -> [UInt8] {
        // Neither URLs nor headers contain line breaks.
        let lines = [request.endpoint.url] + request.headers.flatMap { [$0.name, $0.value.revealed] }
        return Array(HMAC<SHA256>.authenticationCode(for: Array(lines.joined(separator: "\n").utf8), using: digestKey))
    }
}

/// Sends requests to verifiers and the legacy upstream.
protocol VerificationSender: Sendable {
    /// The reply, with any status.
    ///
    /// - Throws: ``LoginError`` `unavailable` if there is no usable reply.
    func send(_ request: VerificationRequest) async throws(LoginError) -> VerificationResponse
}

extension VerificationClient: VerificationSender {}
