package import HTTPTypes

/// An error of a WebSocket, open or opening.
package struct WebSocketError: Error, Sendable {
    /// The kind of failure.
    package struct Code: Sendable, Hashable {
        private enum Base {
            case closed, invalidURL, unknownInterface, unknownHost, lookupFailed, unreachable, timeout, untrusted, notWebSocket, proxyLogin
        }

        private let base: Base

        /// The socket has ended; see ``WebSocketConnection/closure``.
        package static let closed = Self(base: .closed)
        /// The URL is not a `ws:` or `wss:` URL with a host.
        package static let invalidURL = Self(base: .invalidURL)
        /// This machine does not have the network interface.
        package static let unknownInterface = Self(base: .unknownInterface)
        /// The host name does not exist.
        package static let unknownHost = Self(base: .unknownHost)
        /// The host name cannot be looked up at present.
        package static let lookupFailed = Self(base: .lookupFailed)
        /// The connection to the server failed.
        package static let unreachable = Self(base: .unreachable)
        /// The server did not respond in time.
        package static let timeout = Self(base: .timeout)
        /// TLS failed: one side does not trust the other side's certificate.
        package static let untrusted = Self(base: .untrusted)
        /// The proxy requires a login, or rejects the given one.
        package static let proxyLogin = Self(base: .proxyLogin)
        /// The server's response is neither a refusal nor a WebSocket upgrade.
        package static let notWebSocket = Self(base: .notWebSocket)
    }

    package let code: Code
    /// What is wrong, where, and how to fix it.
    package let reason: String
    package let cause: (any Error)?

    /// The reason for a TLS failure, with the code ``Code/untrusted``.
    package var tlsFault: TLSFault?

    package init(_ code: Code, reason: String, cause: (any Error)? = nil, tlsFault: TLSFault? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
        self.tlsFault = tlsFault
    }

    /// The `errno` of the underlying error, if known; of several, the first.
    package var systemError: Int32? {
        cause.flatMap { NetworkErrorText.systemError($0) }
    }
}

extension WebSocketError: CustomStringConvertible {
    package var description: String { cause.map { "\(reason) (\(NetworkErrorText.text($0)))" } ?? reason }
}

/// A server's refusal to open a WebSocket.
package struct WebSocketRefusal: Error, Sendable, CustomStringConvertible {
    /// The status and headers of the response.
    package let response: HTTPResponse
    /// The body of the response if it is `application/json` or `text/plain`, up to a limit; otherwise empty.
    package let body: [UInt8]

    package init(response: HTTPResponse, body: [UInt8]) {
        self.response = response
        self.body = body
    }

    package var description: String {
        "The server refused the WebSocket with \(response.status.code) \(response.status.reasonPhrase): "
            + String(decoding: body, as: UTF8.self)
    }
}
