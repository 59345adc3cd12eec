public import HTTPTypes

/// A WebSocket that could not be used, or not be opened.
public struct WebSocketError: Error, Sendable {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable {
        private enum Base {
            case closed, invalidURL, unknownInterface, unknownHost, lookupFailed, unreachable, timeout, untrusted, notWebSocket, proxyLogin
        }

        private let base: Base

        /// The socket has ended; see ``WebSocketConnection/closure``.
        public static let closed = Self(base: .closed)
        /// The URL is not `ws:` or `wss:` with a host.
        public static let invalidURL = Self(base: .invalidURL)
        /// This machine has no such network interface.
        public static let unknownInterface = Self(base: .unknownInterface)
        /// There is no host of this name.
        public static let unknownHost = Self(base: .unknownHost)
        /// The host's name cannot be looked up for now.
        public static let lookupFailed = Self(base: .lookupFailed)
        /// No connection to the server came about.
        public static let unreachable = Self(base: .unreachable)
        /// The server did not answer in time.
        public static let timeout = Self(base: .timeout)
        /// TLS failed: the server's certificate is not trusted, or it does not trust ours.
        public static let untrusted = Self(base: .untrusted)
        /// The proxy on the way wants a login, or another one.
        public static let proxyLogin = Self(base: .proxyLogin)
        /// The server's answer is neither a refusal nor a WebSocket's.
        public static let notWebSocket = Self(base: .notWebSocket)
    }

    public let code: Code
    /// What is wrong, where, and what to do.
    public let reason: String
    public let cause: (any Error)?

    /// Why TLS failed, with the code ``Code/untrusted``.
    public var tlsFault: TLSFault?

    public init(_ code: Code, reason: String, cause: (any Error)? = nil, tlsFault: TLSFault? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
        self.tlsFault = tlsFault
    }

    /// The system's number (`errno`) of what is behind it, if that is known; of several the first.
    public var systemError: Int32? {
        cause.flatMap { NetworkErrorText.systemError($0) }
    }
}

extension WebSocketError: CustomStringConvertible {
    public var description: String { cause.map { "\(reason) (\(NetworkErrorText.text($0)))" } ?? reason }
}

/// A server's refusal to open a WebSocket.
public struct WebSocketRefusal: Error, Sendable, CustomStringConvertible {
    /// The answer's status and headers.
    public let response: HTTPResponse
    /// The answer's body when it is `application/json` or `text/plain`, up to a limit; empty otherwise.
    public let body: [UInt8]

    public init(response: HTTPResponse, body: [UInt8]) {
        self.response = response
        self.body = body
    }

    public var description: String {
        "The server refused the WebSocket with \(response.status.code) \(response.status.reasonPhrase): "
            + String(decoding: body, as: UTF8.self)
    }
}
