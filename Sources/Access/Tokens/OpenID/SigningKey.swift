import Documents
import Foundation
import JWTKit

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
