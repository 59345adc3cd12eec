import Crypto
import Documents
import Foundation
import HTTP

/// Signs requests by OAuth 1.0 (RFC 5849) with HMAC-SHA1.
struct OAuth1Credentials: Sendable {
    let consumerKey: String
    let consumerSecret: String
    let token: String
    let tokenSecret: String

    /// The value of the `Authorization` header.
    ///
    /// - Parameters:
    ///   - url: With its query.
    ///   - timestamp: In seconds since 1970.
    ///   - nonce: Never used before with this timestamp.
    func authorization(method: String, url: String, timestamp: Int64, nonce: String) -> String {
        var parameters = [
            ("oauth_consumer_key", consumerKey), ("oauth_nonce", nonce), ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", String(timestamp)), ("oauth_token", token), ("oauth_version", "1.0"),
        ]
        let signature = signature(method: method, url: url, parameters: parameters)
        parameters.append(("oauth_signature", signature))
        return "OAuth " + parameters.map { "\($0.0)=\"\(Self.encode($0.1))\"" }.joined(separator: ", ")
    }

    private func signature(method: String, url: String, parameters: [(String, String)]) -> String {
        let halves = url.split(separator: "?", maxSplits: 1).map(String.init)
        let query = URLComponents(string: url)?.queryItems?.map { ($0.name, $0.value ?? "") } ?? []
        let encoded: [(String, String)] = (parameters + query).map { (Self.encode($0.0), Self.encode($0.1)) }
        let sorted = encoded.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }
        let normalized = sorted.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        let base = [method.uppercased(), Self.encode(halves[0]), Self.encode(normalized)].joined(separator: "&")
        let key = SymmetricKey(data: Array("\(Self.encode(consumerSecret))&\(Self.encode(tokenSecret))".utf8))
        return Base64.encode(Array(HMAC<Insecure.SHA1>.authenticationCode(for: Array(base.utf8), using: key)))
    }

    private static func encode(_ text: String) -> String {
        PercentEncoding.encodeQueryComponent(text)
    }
}
