import Coordination
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOSSL

/// A client's opening handshake: its request, and the validation of the response.
final class WebSocketOpening: Sendable {
    let result = Promise<WebSocketClient.Opened, any Error>()
    let target: WebSocketURL
    let options: WebSocketClient.Options
    private let key = WebSocketHandshake.key()

    init(target: WebSocketURL, options: WebSocketClient.Options) {
        self.target = target
        self.options = options
    }

    /// Begins the handshake on a channel that is, or will be, connected to the server. Must be called on the channel's event loop.
    ///
    /// - Parameter context: The TLS context; `nil` for no TLS.
    func begin(on channel: any Channel, _ context: NIOSSLContext?) throws {
        let pipeline = channel.pipeline.syncOperations
        if let context { try pipeline.addHandler(options.tls.handler(context, host: target.host)) }
        try WebSocketOpeningHandler(opening: self, channel: channel).install(in: pipeline)
    }

    /// Begins the handshake once the tunnel to the server is established.
    func begin(on channel: any Channel, _ context: NIOSSLContext?, after tunnel: Result<Void, any Error>) {
        do {
            try tunnel.get()
            // If the opening failed while the tunnel was being established, the channel had no handler to notify.
            guard !result.isResolved else { return channel.close(promise: nil) }
            try begin(on: channel, context)
        } catch {
            fail(error, channel)
            channel.close(promise: nil)
        }
    }

    /// The request in the form that Couchbase Lite sends.
    var request: HTTPRequestHead {
        var headers = HTTPHeaders([("Host", target.authority)])
        for field in options.headers { headers.add(name: field.name.rawName, value: field.value) }
        headers.replaceOrAdd(name: "Connection", value: "Upgrade")
        headers.replaceOrAdd(name: "Upgrade", value: "websocket")
        headers.replaceOrAdd(name: "Sec-WebSocket-Version", value: "13")
        headers.replaceOrAdd(name: "Sec-WebSocket-Key", value: key)
        if !options.subprotocols.isEmpty {
            headers.replaceOrAdd(name: "Sec-WebSocket-Protocol", value: options.subprotocols.joined(separator: ","))
        }
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: target.target, headers: headers)
    }

    /// The protocol chosen by a 101 response.
    ///
    /// - Throws: ``WebSocketError`` if the response does not match the request.
    func subprotocol(of head: HTTPResponseHead) throws -> String? {
        let headers = head.headers
        guard headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" })
        else { throw broken("it does not name the websocket protocol") }
        guard headers["sec-websocket-accept"] == [WebSocketHandshake.accept(key: key)] else {
            throw broken("its Sec-WebSocket-Accept does not match the key")
        }
        guard headers["sec-websocket-extensions"].isEmpty else { throw broken("it uses an extension that was not offered") }
        let chosen = headers["sec-websocket-protocol"]
        guard chosen.count <= 1, chosen.allSatisfy(options.subprotocols.contains), options.subprotocols.isEmpty || !chosen.isEmpty else {
            throw broken("it chose the protocol '\(chosen.joined(separator: ", "))', not one that was offered")
        }
        return chosen.first
    }

    /// Fails the handshake.
    func fail(_ error: any Error, _ channel: any Channel) {
        result.resolve(.failure(described(error)))
        // Close the channel: after an abandoned opening, an open socket has no owner.
        channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(WebSocketOpeningGivenUp()) }
    }

    private func broken(_ what: String) -> WebSocketError {
        WebSocketError(.notWebSocket, reason: "\(target) answered 101, but \(what).")
    }

    private func described(_ error: any Error) -> any Error {
        switch error {
        case is WebSocketError, is WebSocketRefusal, is CancellationError: error
        // The connection has ended, regardless of how TLS describes it.
        case NIOSSLError.uncleanShutdown: lost(error)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            WebSocketError(
                .untrusted, reason: "TLS with \(target) failed; check both sides' certificates.", cause: error,
                tlsFault: TLSFault(error, trust: options.tls.trust))
        case is HTTPParserError: WebSocketError(.notWebSocket, reason: "\(target) does not answer in HTTP.", cause: error)
        default: lost(error)
        }
    }

    private func lost(_ error: any Error) -> WebSocketError {
        WebSocketError(.unreachable, reason: "The connection to \(target) was lost during the handshake.", cause: error)
    }
}

/// Notifies the opening's handler that the opening has been abandoned.
struct WebSocketOpeningGivenUp: Sendable {}
