import Coordination
import Crypto
import Foundation
import HTTPTypes
import HummingbirdCore

/// An issuer of ID tokens, Google's or another, and a verifier of Persona assertions.
final class FakeIssuer: Sendable {
    private struct State {
        /// The reply of the token endpoint.
        var tokens = "{}"
        /// The reply of every path instead, if it is set.
        var fault: (@Sendable () -> Response)?
    }

    private let key = P256.Signing.PrivateKey()
    private let state = Lock(State())

    func setTokens(_ json: String) {
        state.withLock { $0.tokens = json }
    }

    func setFault(_ fault: (@Sendable () -> Response)?) {
        state.withLock { $0.fault = fault }
    }

    /// A token for the client `app`, with some claims replaced.
    func token(_ url: String, _ claims: [String: String] = [:], isUnsigned: Bool = false) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        var members = ["iss": "\"\(url)\"", "aud": "\"app\"", "sub": "\"u1\"", "exp": "\(now + 600)", "iat": "\(now)"]
        members.merge(claims) { $1 }
        let payload = "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        let header = isUnsigned ? #"{"alg":"none"}"# : #"{"alg":"ES256","kid":"k1"}"#
        let text = Self.base64URL(header.utf8) + "." + Self.base64URL(payload.utf8)
        return text + "." + (isUnsigned ? "" : Self.base64URL(try key.signature(for: Data(text.utf8)).rawRepresentation))
    }

    @Sendable
    func answer(_ call: FakeServer.Call, _ url: String) -> Response {
        let (tokens, fault) = state.withLock { ($0.tokens, $0.fault) }
        if let fault { return fault() }
        switch call.path {
        case "/.well-known/openid-configuration":
            return FakeServer.json(
                #"{"issuer":"\#(url)","jwks_uri":"\#(url)/keys","authorization_endpoint":"\#(url)/authorize","token_endpoint":"\#(url)/token"}"#
            )
        case "/keys":
            let bytes = key.publicKey.rawRepresentation
            let (x, y) = (Self.base64URL(bytes.prefix(32)), Self.base64URL(bytes.suffix(32)))
            return FakeServer.json(#"{"keys":[{"kty":"EC","crv":"P-256","kid":"k1","use":"sig","x":"\#(x)","y":"\#(y)"}]}"#)
        case "/token", "/verify": return FakeServer.json(tokens)
        default: return FakeServer.json("{}", 404)
        }
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
