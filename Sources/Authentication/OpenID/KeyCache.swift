import Documents
import Foundation
import JWTKit

/// The cached keys of an issuer, and the schedule of their renewal. Sends no requests itself.
struct KeyCache {
    /// The action for a token.
    enum Answer {
        /// One of these keys must have signed the token.
        case keys([SigningKey])
        /// The keys have to be fetched. If that fails, the fallback keys are still valid.
        case fetch(fallback: [SigningKey])
        /// The issuer has no such key, by a recent reply.
        case unknown
        /// A recent request to the issuer failed.
        case unavailable
    }

    /// In seconds. Keys of this age are fetched again, so that a withdrawn key is detected.
    static let refreshAge: Int64 = 3600
    /// Keys of this age are not used if the issuer does not reply.
    static let maximumAge: Int64 = 24 * 3600
    /// The minimum interval between two requests, so that tokens with invented key IDs do not cause a request each.
    static let interval: Int64 = 30
    /// The minimum interval after a failed request.
    static let retryInterval: Int64 = 5

    private var keys: [SigningKey] = []
    private var fetched: Int64?
    private var lastAttempt: Int64?
    private var hasFailed = false

    /// - Parameter now: In seconds of a monotonic clock.
    func answer(keyID: String?, algorithm: SignatureAlgorithm, now: Int64) -> Answer {
        let mayAsk = lastAttempt.map { now - $0 >= (hasFailed ? Self.retryInterval : Self.interval) } ?? true
        guard let fetched else { return mayAsk ? .fetch(fallback: []) : .unavailable }
        let matching = keys.filter { $0.algorithm == algorithm && (keyID == nil || $0.keyID == keyID) }
        guard !matching.isEmpty else { return mayAsk ? .fetch(fallback: []) : hasFailed ? .unavailable : .unknown }
        switch now - fetched {
        case ..<Self.refreshAge: return .keys(matching)
        case ..<Self.maximumAge: return mayAsk ? .fetch(fallback: matching) : .keys(matching)
        default: return mayAsk ? .fetch(fallback: []) : .unavailable
        }
    }

    mutating func succeeded(with keys: [SigningKey], now: Int64) {
        self.keys = keys
        fetched = now
        lastAttempt = now
        hasFailed = false
    }

    mutating func failed(now: Int64) {
        lastAttempt = now
        hasFailed = true
    }
}

/// A public key of an issuer (a JSON Web Key, RFC 7517).
struct SigningKey: Sendable {
    let keyID: String?
    let algorithm: SignatureAlgorithm
    private let key: any JWTAlgorithm

    /// The limit of a key parameter's length, which bounds the cost of a check. Enough for RSA with 8192 bits.
    private static let maximumParameterLength = 1400

    /// `nil` for an unusable key, or one of another kind or use.
    init?(_ key: JSONValue) async {
        if let use = key["use"], use.string != "sig" { return nil }
        keyID = key["kid"]?.string
        switch (key["kty"]?.string, key["crv"]?.string) {
        case ("RSA", _): algorithm = .rs256
        case ("EC", "P-256"): algorithm = .es256
        default: return nil
        }
        if let intended = key["alg"], intended.string != algorithm.rawValue { return nil }
        guard let usable = try? await Self.usable(key, algorithm) else { return nil }
        self.key = usable
    }

    /// Whether this key has signed the token.
    func hasSigned(_ token: IDToken) -> Bool {
        guard token.algorithm == algorithm else { return false }
        return (try? key.verify(token.signature, signs: token.signed)) == true
    }

    private static func usable(_ key: JSONValue, _ algorithm: SignatureAlgorithm) async throws -> (any JWTAlgorithm)? {
        func parameter(_ name: String) -> String? {
            key[name]?.string.flatMap { $0.utf8.count <= maximumParameterLength ? $0 : nil }
        }
        let keys = JWTKeyCollection()
        switch algorithm {
        case .rs256:
            guard let modulus = parameter("n"), let exponent = parameter("e") else { return nil }
            await keys.add(rsa: try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent), digestAlgorithm: .sha256)
        case .es256:
            guard let x = parameter("x"), let y = parameter("y") else { return nil }
            await keys.add(ecdsa: try ES256PublicKey(parameters: (x, y)))
        }
        return try await keys.getKey()
    }
}
