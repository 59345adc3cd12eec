/// What a peer did against the WebSocket protocol or our limits, and what the socket is closed with.
struct WebSocketViolation: Error, Equatable {
    let code: WebSocketCloseCode
    let reason: String

    static func malformed(_ reason: String) -> Self { Self(code: .protocolError, reason: reason) }
    static func tooBig(_ reason: String) -> Self { Self(code: .messageTooBig, reason: reason) }
    static let notText = Self(code: .invalidText, reason: "text that is not UTF-8")
}
