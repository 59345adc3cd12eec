/// One message of a WebSocket, put together from its fragments.
public struct WebSocketMessage: Sendable, Hashable {
    /// Whether the bytes are text.
    public enum Kind: Sendable, Hashable {
        /// UTF-8 text; what arrives has been checked.
        case text
        /// Any bytes.
        case binary
    }

    public var kind: Kind
    public var bytes: [UInt8]

    public init(_ kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    public static func text(_ text: String) -> Self { Self(.text, bytes: Array(text.utf8)) }
    public static func binary(_ bytes: [UInt8]) -> Self { Self(.binary, bytes: bytes) }

    /// The message as text, whatever its kind: some 1.x clients send JSON as binary messages.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
