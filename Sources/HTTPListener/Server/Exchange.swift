import Coordination
import HTTP
import HummingbirdCore
import NIOCore

/// The rest of an exchange, from the head of the response on.
///
/// It keeps nothing else of the request and of the response, because a feed's body may take days.
enum Exchange {
    case body(BodyTransfer)

    /// - Parameter head: The response that accepts the upgrade.
    case webSocket(WebSocketRoute, head: ByteBuffer)
    case tunnel(TunnelEnd, head: ByteBuffer, leaving: StopSignal)
}

/// A response's body, after the head was sent.
struct BodyTransfer {
    let body: ResponseBody
    let stream: ResponseStream

    /// Whether the client has requested a WebSocket, and gets this response instead.
    let refusesUpgrade: Bool

    /// Whether the connection can serve another request afterwards.
    let keepAlive: Bool
    let requestHasBody: Bool

    /// The number of the request on its connection.
    let ordinal: Int

    func run() async throws {
        guard stream.hasBody else { return try stream.finish(nil) }
        try await body.write(ResponseStreamWriter(stream: stream))
        guard stream.isFinished else {
            throw RequestError(.invalidResponse, reason: "The route did not finish its body.")
        }
    }
}
