import Documents
import Foundation
import JWTKit

/// The keys of an issuer, and when to ask for them again. Does not ask itself.
struct KeyCache {
    /// What to do about a token.
    enum Answer {
        /// One of these keys has to have signed it.
        case keys([SigningKey])
        /// The issuer has to be asked; if that fails these will still do.
        case fetch(fallback: [SigningKey])
        /// The issuer has no such key, as it said a moment ago.
        case unknown
        /// The issuer failed to answer a moment ago.
        case unavailable
    }

    /// In seconds. From this age on, keys are asked for again, so that one that was withdrawn is noticed.
    static let refreshAge: Int64 = 3600
    /// From this age on, keys are not used while the issuer does not answer.
    static let maximumAge: Int64 = 24 * 3600
    /// Between two questions at the least, so that tokens with invented key IDs do not make us ask for each.
    static let interval: Int64 = 30
    /// The same after a failure.
    static let retryInterval: Int64 = 5

    private var keys: [SigningKey] = []
    private var fetched: Int64?
    private var lastAttempt: Int64?
    private var hasFailed = false

    /// - Parameter now: in seconds, by a clock that never goes back.
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

    /// Longer key parameters are not taken: a check would cost too much. Enough for RSA with 8192 bits.
    private static let maximumParameterLength = 1400

    /// `nil` for a key of another kind or use, or one that cannot be used.
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

    /// Whether the token was signed by this key's owner.
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
