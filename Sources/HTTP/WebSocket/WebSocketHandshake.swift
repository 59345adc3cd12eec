import Crypto
import Foundation

/// The computations of RFC 6455's opening handshake.
package enum WebSocketHandshake {
    /// A client's key: 16 random bytes.
    static func key() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
    }

    /// Whether a client's key is 16 bytes in base64.
    package static func isValid(key: String) -> Bool {
        Data(base64Encoded: key)?.count == 16
    }

    /// The value by which the server proves that it received the key.
    package static func accept(key: String) -> String {
        Data(Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }
}
