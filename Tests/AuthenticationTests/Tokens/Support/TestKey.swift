import Access
import Documents
import Foundation
import JWTKit

@testable import Authentication

/// A key of a test issuer, and tokens signed with it.
struct TestKey: Sendable {
    enum Kind: Sendable { case rsa, ec }

    let kid: String
    let algorithm: String
    /// The key's entry among the issuer's keys.
    let jwk: String
    private let signer: any JWTAlgorithm

    init(_ kind: Kind, kid: String) async throws {
        self.kid = kid
        switch kind {
        case .rsa:
            let key = try Insecure.RSA.PrivateKey(pem: Self.rsaPEM)
            let (modulus, exponent) = try key.publicKey.getKeyPrimitives()
            algorithm = "RS256"
            jwk =
                #"{"kty":"RSA","kid":"\#(kid)","use":"sig","alg":"RS256","n":"\#(Base64URL.encode(Array(modulus)))","e":"\#(Base64URL.encode(Array(exponent)))"}"#
            signer = try await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256).getKey()
        case .ec:
            let key = ES256PrivateKey()
            let (x, y) = try TestKey.coordinates(key)
            algorithm = "ES256"
            jwk = #"{"kty":"EC","crv":"P-256","kid":"\#(kid)","use":"sig","x":"\#(x)","y":"\#(y)"}"#
            signer = try await JWTKeyCollection().add(ecdsa: key).getKey()
        }
    }

    /// A signed token.
    func token(_ claims: String, header: String? = nil) throws -> Secret {
        let header = header ?? #"{"alg":"\#(algorithm)","kid":"\#(kid)","typ":"JWT"}"#
        let signed = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
        return Secret("\(signed).\(Base64URL.encode(try signer.sign(Array(signed.utf8))))")
    }

    /// A token with any signature.
    static func token(header: String, claims: String, signature: [UInt8]) -> Secret {
        Secret("\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8))).\(Base64URL.encode(signature))")
    }

    /// The PEM of the RSA key's public half, which an attacker has.
    static func rsaPublicPEM() throws -> String {
        try Insecure.RSA.PrivateKey(pem: rsaPEM).publicKey.pemRepresentation
    }

    private static func coordinates(_ key: ES256PrivateKey) throws -> (String, String) {
        guard let parameters = key.publicKey.parameters else { throw LoginError(.malformed, "no parameters") }
        func url(_ text: String) throws -> String { Base64URL.encode(try Base64.decode(Array(text.utf8))) }
        return (try url(parameters.x), try url(parameters.y))
    }

    /// A key for tests only. It is public.
    private static let rsaPEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCgdivydNI7l1ks
        +EZXZpDJzofKSXqDCcYKpLtPz7wxzHQKXMWoL15gt3qsnwnGFM79GxUYlxhWPiVU
        MEUvJp8v/7VVN5o+vpsQx6IH6AFOmfr4fxOLRBYtKF3TZdSRDgOtAsbRXfgvPsSS
        sJsLfMw3SjduunGsnZKkbyQ+rvI2aiSyttVZ+lUmFZrxa0t3F92+5aUYvsdDjoCv
        jjwxc2HHDeechgrXtx6fuyiTEbVAQtWAvLKB6nc7tcAEbDWAN444NgYibkCqsEW5
        nf1LU1pLzIqC6VJeZvgHGV0mvAcrxiBcJ6UA7uxKRId8X78l8svXfw+2+HkDwEUw
        8phHrlsnAgMBAAECggEAP+VusJimUsZ84zRmRk14YHQWjI3f9ChDLV/Vmv180lO4
        7ZtttgBO07KcbfrSmIcWuaE8MFOShF0w3ipukk0N3L41hh6jFFMwSmlEc2OGibc1
        QhjQPoe5UPgfDJwjHjP3cMCHTT3fI2kaO9OJmfRzGZ07H6OsunDwwPvk8fUWTGYs
        SlvnVyIi/HXquC6lnimeDRNwk4GfB6Ofs43s6XcXz6QdfsDW7ayEgOi/E4szpr1/
        KvjmMjKYsPWK138BtRw82tqlWajCXKVlHakr2pLUKliFRmhltk9tG/X1ZKxWeElI
        rAQMDV2zW3GNrM6RmBfnR81KlKZtA3+pLtAXo0DmKQKBgQDXWo+k5h7CDTstlisC
        ty57c1zVXF7IoTauatwn964Ut2nhftnXtahGmN+FEyX8FGazPYNe9KxtdeaC+vKl
        gcg0b/peSIxChc7KvjSETQOLOVwV66eQyloQeelz6KsloEJOidblrSg4zWHS4FpD
        8v1wec+ASLkwLfpzwTwWXyuIWwKBgQC+v1aA8w21xx72+8psoAS7HSFiBrq/VyBz
        8BoGu9NlB0igfX03D8dFhtS7nljpXcJ5EpPi9OlphzPgajBShCjM/BTY2Mr4Mgwv
        CTOQZslhmwBOdjizZYW3ApFRB/qLE9I1TB0W7q5qViiHXT9nGkNMyrahFCByUgYV
        aXYm/+vSJQKBgGOfDCYfIglor4CGID1wWftXwZEd2ub61N3YpyGCDTCeLEfZM5L7
        AO4vl+7qjb7P/TZbdWM+0mkMimb7CbaQk/nV9z8YVnILjj7xwD+XlNUZ4sRtMCXl
        xcYrb1hkQI/2U9YbI6M5+ApW0DMKABfA14bpgpj4i1qDWoGj2VUMD4pTAoGALLtg
        ROM63tswZslLgkfQdDTzpDJhzwdWo/m1kMixXWrk3EYxfB0mJSbmco1C2o9TUONL
        bRj0N/wt7T3Z0TAPBWtEVEoa5zONaeZlgkKojUw1OTE+QMvZHL7sZy1Q0xa14CvW
        Uo9staE45e23Na2SBMsxIvs+VLDpnlHaFHFF00UCgYAOEwxNXr0BRp8B5aIg4Cgv
        XkRjLLNn9g+unTjjfNRnybGs+QJKJCvazrTV8uflAhZ1i26Dzzn4OC5DgNicPXtx
        AtU1NXbgDuelFS4olvmwFcoNXgl0tuBZ8oKEvDV4sR2byGPfFb+8gkYKtDluLKJw
        KdusrdVt/6WQcwgUJhySdA==
        -----END PRIVATE KEY-----
        """
}
