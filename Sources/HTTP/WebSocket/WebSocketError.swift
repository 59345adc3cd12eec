/// A WebSocket that could not be used, or not be opened.
public struct WebSocketError: Error, Sendable {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable {
        private enum Base {
            case closed, invalidURL, unreachable, timeout, untrusted, notWebSocket
        }

        private let base: Base

        /// The socket has ended; see ``WebSocketConnection/closure``.
        public static let closed = Self(base: .closed)
        /// The URL is not `ws:` or `wss:` with a host.
        public static let invalidURL = Self(base: .invalidURL)
        /// No connection to the server came about.
        public static let unreachable = Self(base: .unreachable)
        /// The server did not answer in time.
        public static let timeout = Self(base: .timeout)
        /// TLS failed: the server's certificate is not trusted, or it does not trust ours.
        public static let untrusted = Self(base: .untrusted)
        /// The server's answer is neither a refusal nor a WebSocket's.
        public static let notWebSocket = Self(base: .notWebSocket)
    }

    public let code: Code
    /// What is wrong, where, and what to do.
    public let reason: String
    public let cause: (any Error)?

    public init(_ code: Code, reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }
}

extension WebSocketError: CustomStringConvertible {
    public var description: String { cause.map { "\(reason) (\($0))" } ?? reason }
}
