package import HTTPTypes

/// An error of a WebSocket, open or opening.
package struct WebSocketError: Error, Sendable {
    /// The kind of failure.
    package enum Code: Hashable, Sendable {
        /// The socket has ended; see ``WebSocketConnection/closure``.
        case closed
        /// The URL is not a `ws:` or `wss:` URL with a host.
        case invalidURL
        /// This machine does not have the network interface.
        case unknownInterface
        /// The host name does not exist.
        case unknownHost
        /// The host name cannot be looked up at present.
        case lookupFailed
        /// The connection to the server failed.
        case unreachable
        /// The server did not respond in time.
        case timeout
        /// TLS failed: one side does not trust the other side's certificate.
        case untrusted
        /// The proxy requires a login, or rejects the given one.
        case proxyLogin
        /// The server's response is neither a refusal nor a WebSocket upgrade.
        case notWebSocket
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
