import Access
import Documents

/// A request to a verifier.
struct VerificationRequest: Hashable, Sendable {
    struct Header: Hashable, Sendable {
        let name: String
        let value: Secret
    }

    let endpoint: VerificationEndpoint

    /// A form to post; `nil` for GET.
    let form: Secret?

    var headers: [Header] = []

    /// Whether concurrent callers with the same request share the reply. `false` for requests that can be sent only once.
    var isShared = true

    static func get(_ endpoint: VerificationEndpoint, headers: [Header] = []) -> VerificationRequest {
        VerificationRequest(endpoint: endpoint, form: nil, headers: headers)
    }

    static func post(_ endpoint: VerificationEndpoint, _ items: [(name: String, value: String)]) -> VerificationRequest {
        VerificationRequest(endpoint: endpoint, form: Secret(FormEncoding.encode(items)))
    }
}

extension VerificationRequest.Header {
    /// `Authorization: Bearer`. Unlike tokens in URLs, tokens in headers do not appear in access logs.
    static func bearer(_ token: Secret) -> VerificationRequest.Header {
        VerificationRequest.Header(name: "Authorization", value: Secret("Bearer \(token.revealed)"))
    }
}

/// A verifier's reply; never a redirect.
struct VerificationResponse: Sendable {
    let status: Int
    let body: [UInt8]

    /// The maximum nesting depth of a reply.
    private static let maximumDepth = 16

    /// Whether the verifier failed, rather than rejected the request.
    var isFailure: Bool { status >= 500 || status == 429 || status == 408 }

    /// The reply's JSON object.
    ///
    /// - Parameter verifier: The verifier's name, for the message.
    /// - Throws: ``LoginError`` `unavailable` if the body is not a JSON object.
    func object(of verifier: String) throws(LoginError) -> JSONValue {
        do {
            let value = try JSONValue(body, maximumDepth: Self.maximumDepth)
            if value.members != nil { return value }
        } catch {
            throw LoginError(.unavailable, "\(verifier) did not answer with JSON", cause: error)
        }
        throw LoginError(.unavailable, "\(verifier) answered with JSON that is not an object")
    }
}

/// The encoding `application/x-www-form-urlencoded` of forms and queries. Sync Gateway also uses it to derive user names from arbitrary text (Go's
/// `url.QueryEscape`).
enum FormEncoding {
    /// Encodes everything except for letters, digits and `-_.~` as `%XX`, and space as `+`.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `name=value` pairs.
    static func encode(_ items: [(name: String, value: String)]) -> String {
        items.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }
}
