import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOSSL

/// A client's opening handshake: what is asked, and how the answer is judged.
final class WebSocketOpening: Sendable {
    let result = Eventual<WebSocketClient.Opened>()
    let target: WebSocketURL
    let options: WebSocketClient.Options
    private let key = WebSocketHandshake.key()

    init(target: WebSocketURL, options: WebSocketClient.Options) {
        self.target = target
        self.options = options
    }

    /// Asks the server on a channel that leads to it, or will as soon as it is connected. To be called on the channel's event loop.
    ///
    /// - Parameter context: TLS is spoken by it; `nil` for none.
    func begin(on channel: any Channel, _ context: NIOSSLContext?) throws {
        let pipeline = channel.pipeline.syncOperations
        if let context { try pipeline.addHandler(options.tls.handler(context, host: target.host)) }
        try WebSocketOpeningHandler(opening: self, channel: channel).install(in: pipeline)
    }

    /// Asks the server when the way to it is open.
    func begin(on channel: any Channel, _ context: NIOSSLContext?, after tunnel: Result<Void, any Error>) {
        do {
            try tunnel.get()
            // Whoever has given up has found nobody to tell while there was only the way.
            guard !result.isResolved else { return channel.close(promise: nil) }
            try begin(on: channel, context)
        } catch {
            fail(error, channel)
            channel.close(promise: nil)
        }
    }

    /// The request as Couchbase Lite sends it.
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

    /// The protocol chosen by a 101 answer.
    ///
    /// - Throws: ``WebSocketError`` when the answer does not open a WebSocket as asked.
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

    /// The handshake has failed.
    func fail(_ error: any Error, _ channel: any Channel) {
        result.resolve(.failure(described(error)))
        // An open socket is nobody's when its opening was given up.
        channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(WebSocketOpeningGivenUp()) }
    }

    private func broken(_ what: String) -> WebSocketError {
        WebSocketError(.notWebSocket, reason: "\(target) answered 101, but \(what).")
    }

    private func described(_ error: any Error) -> any Error {
        switch error {
        case is WebSocketError, is WebSocketRefusal, is CancellationError: error
        // The connection has ended, whatever TLS says of the manner.
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

/// Tells the handler of an opening that nobody waits for it any more.
struct WebSocketOpeningGivenUp: Sendable {}
