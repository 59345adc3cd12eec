import Crypto

/// Ties the end of a login to its beginning: the browser that comes back with a code has to be the one that was sent away (RFC 6749, 10.12), and the token
/// has to be the one that was asked for.
struct LoginState {
    /// Goes into the provider's URL and into a cookie.
    let text: String

    /// A new one, 128 random bits.
    init() {
        var generator = SystemRandomNumberGenerator()
        text = Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    init(_ text: String) {
        self.text = text
    }

    /// What the token has to carry. Follows from the state, so nothing has to be remembered between the two requests.
    var nonce: String { Base64URL.encode(Array(SHA256.hash(data: Array("nonce \(text)".utf8)))) }
}
