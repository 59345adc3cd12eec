import Crypto
import Synchronization

/// Tells an answer again for a while, so that a fleet which comes at once asks as often as it has users, and not as often as it has devices.
///
/// Only answers with status 200 are kept, by a digest of the address and the headers.
final class ResponseCache: VerificationSender {
    private struct Answer {
        let response: VerificationResponse
        let end: Int64
    }

    /// Answers that are kept, and the most bytes of one.
    private static let capacity = 1_000
    private static let size = 16 << 10

    private let client: VerificationClient
    private let lifetime: Int64
    private let clock: AccessClock
    private let answers = Mutex(BoundedCache<[UInt8], Answer>(capacity: capacity))

    /// Digests of credentials are of no use to anybody without it.
    private let digestKey = SymmetricKey(size: .bits256)

    /// - Parameter lifetime: for how many seconds an answer is told again.
    init(_ client: VerificationClient, lifetime: Int64, clock: AccessClock) {
        self.client = client
        self.lifetime = lifetime
        self.clock = clock
    }

    func send(_ request: VerificationRequest) async throws(LoginError) -> VerificationResponse {
        let digest = digest(of: request)
        if let known = answers.withLock({ $0[digest] }), clock.seconds < known.end { return known.response }
        let response = try await client.send(request)
        if response.status == 200, response.body.count <= Self.size {
            let answer = Answer(response: response, end: clock.seconds + lifetime)
            answers.withLock { $0.insert(answer, for: digest) }
        }
        return response
    }

    private func digest(of request: VerificationRequest) -> [UInt8] {
        // No line break is in an address, nor in a header.
        let lines = [request.endpoint.url] + request.headers.flatMap { [$0.name, $0.value.revealed] }
        return Array(HMAC<SHA256>.authenticationCode(for: Array(lines.joined(separator: "\n").utf8), using: digestKey))
    }
}

/// What a verifier or the legacy upstream can be asked by.
protocol VerificationSender: Sendable {
    /// The answer, whatever its status.
    ///
    /// - Throws: ``LoginError`` `unavailable` if there is none to be used.
    func send(_ request: VerificationRequest) async throws(LoginError) -> VerificationResponse
}

extension VerificationClient: VerificationSender {}
