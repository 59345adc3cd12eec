import Access
import Documents

/// A parsed, unverified ID token (a JSON Web Token, RFC 7519, in the compact form of RFC 7515).
struct IDToken {
    let algorithm: SignatureAlgorithm

    /// The ID of the issuer's signing key.
    let keyID: String?
    let claims: JSONValue

    /// The signed bytes.
    let signed: [UInt8]
    let signature: [UInt8]

    private static let maximumDepth = 16
    private static let maximumKeyIDLength = 1024

    /// - Throws: ``LoginError`` `malformed` if this is not a token, `refused` if its signature algorithm is not accepted.
    init(_ token: Secret) throws(LoginError) {
        guard TokenText.isPlausible(token) else { throw Self.malformed("It is empty, too long, or has invalid characters") }
        let text = Array(token.revealed.utf8)
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw Self.malformed("It does not have three parts") }
        let header = try Self.object(parts[0], "header")
        // A token with unknown critical extensions must be rejected (RFC 7515, 4.1.11).
        guard header["crit"] == nil else { throw LoginError(.refused, "The ID token requires an unknown extension") }
        guard let algorithm = header["alg"]?.string.flatMap(SignatureAlgorithm.init(rawValue:)) else {
            throw LoginError(.refused, "The ID token is not signed with RS256 or ES256")
        }
        self.algorithm = algorithm
        if let key = header["kid"] {
            guard let text = key.string, text.utf8.count <= Self.maximumKeyIDLength else {
                throw Self.malformed("Its key ID is not a string, or is too long")
            }
            keyID = text
        } else {
            keyID = nil
        }
        claims = try Self.object(parts[1], "payload")
        guard !parts[2].isEmpty, let signature = Base64URL.decode(parts[2]) else { throw Self.malformed("Its signature is not base64url") }
        self.signature = signature
        signed = Array(text[..<(parts[2].startIndex - 1)])
    }

    private static func object(_ part: ArraySlice<UInt8>, _ name: String) throws(LoginError) -> JSONValue {
        guard let bytes = Base64URL.decode(part) else { throw malformed("Its \(name) is not base64url") }
        guard let value = try? JSONValue(bytes, maximumDepth: maximumDepth), value.members != nil else {
            throw malformed("Its \(name) is not a JSON object")
        }
        return value
    }

    private static func malformed(_ reason: String) -> LoginError {
        LoginError(.malformed, "This is not an ID token. \(reason)")
    }
}

/// The accepted signature algorithms. There is no `none`, and no algorithm with a shared key: an attacker who knows the public key could sign with
/// it.
enum SignatureAlgorithm: String, Hashable, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// Base64 in the alphabet for URLs, without padding (RFC 7515, 2).
enum Base64URL {
    /// The decoded bytes; `nil` if the text is not valid.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var standard: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.append(byte)
            }
        }
        while standard.count & 3 != 0 { standard.append(UInt8(ascii: "=")) }
        return try? Base64.decode(standard)
    }

    /// The encoded text.
    static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
