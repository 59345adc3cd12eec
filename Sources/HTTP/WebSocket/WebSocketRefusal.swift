public import HTTPTypes

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
