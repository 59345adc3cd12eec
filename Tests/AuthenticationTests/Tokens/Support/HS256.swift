import Access
import JWTKit

@testable import Authentication

/// A forger who uses an issuer's public key as a shared one.
enum HS256 {
    static func token(_ claims: String, kid: String, key: String) async throws -> Secret {
        let signer = try await JWTKeyCollection().add(hmac: HMACKey(from: key), digestAlgorithm: .sha256).getKey()
        let signed =
            "\(Base64URL.encode(Array(#"{"alg":"HS256","kid":"\#(kid)"}"#.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
        return Secret("\(signed).\(Base64URL.encode(try signer.sign(Array(signed.utf8))))")
    }
}
