import Documents
import HTTP
import HTTPTypes
import NIOCore

/// Sync Gateway's changes feed over a WebSocket (docs/protocol/legacy-1x.md#websocket-feed). One task at a time may use it.
final class WebSocketFeed {
    /// The maximum decompressed size of all messages of a connection, in bytes. Connections are reopened from time to time, so they do not reach
    /// it.
    private static let maximumSize = 1 << 40

    private static let path = "_changes?feed=websocket"

    private let socket: any WebSocketConnection
    private let rowSize: Int
    private let url: String
    private var inflater: Inflater?
    private var waiting: [WebSocketMessage] = []

    private init(_ socket: any WebSocketConnection, rowSize: Int, url: String) {
        self.socket = socket
        self.rowSize = rowSize
        self.url = url
    }

    deinit {
        socket.drop()
    }

    /// Connects and sends the request. Logs in again first if the session has ended.
    static func open(since: OpaqueSequence?, on remote: RemoteDatabase) async throws -> WebSocketFeed {
        let url = "\(remote.url.webSocketBase)/\(path)"
        let socket = try await remote.authenticating { try await connect(to: url, since: since, on: remote) }
        return WebSocketFeed(socket, rowSize: remote.limits.rowSize, url: url)
    }

    private static func connect(
        to url: String, since: OpaqueSequence?, on remote: RemoteDatabase
    ) async throws -> any WebSocketConnection {
        var options = WebSocketClient.Options()
        options.tls = remote.tls
        options.proxy = remote.settings.proxy
        options.connectTimeout = remote.limits.connectTimeout
        options.limits.idleTimeout = remote.limits.readTimeout
        for (name, value) in remote.headers(for: "_changes", method: "GET", target: url) {
            if let name = HTTPField.Name(name) { options.headers[name] = value }
        }
        let request = ChangesRequest(.websocket, since: since, settings: remote.settings)
        do {
            let socket = try await WebSocketClient.connect(to: url, options: options).connection
            try await socket.send(.text(String(decoding: request.json(compressed: true), as: UTF8.self)))
            return socket
        } catch let refusal as WebSocketRefusal {
            throw ReplicationError(refusing: refusal, url)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ReplicationError(exchange: error, with: url)
        }
    }

    /// The event of the next message.
    ///
    /// - Throws: ``ReplicationError``, with code `connectionLost` when the server has closed the socket.
    func next() async throws -> RemoteChangesFeed.Event? {
        while true {
            while !waiting.isEmpty {
                let message = waiting.removeFirst()
                // A heartbeat. Sync Gateway also sends one after each batch of rows.
                guard !message.bytes.isEmpty else { return .caughtUp }
                let changes = try changes(in: message)
                return changes.isEmpty ? .caughtUp : .changes(changes)
            }
            guard let messages = try await socket.receive() else {
                let closure = socket.closure
                throw ReplicationError(.connectionLost, "\(url) has closed the feed: \(closure?.reason ?? "no reason given")")
            }
            waiting = messages
        }
    }

    private func changes(in message: WebSocketMessage) throws -> [RemoteRow] {
        do {
            var splitter = RowSplitter(.array, rowSize: rowSize)
            let rows = try splitter.consume(try plain(message)[...])
            try splitter.finish()
            return try rows.compactMap { try RemoteRow($0) }
        } catch {
            throw ReplicationError(local: error)
        }
    }

    /// Decodes a message. Binary messages are parts of one gzip stream; an array that compression would not shrink arrives uncompressed.
    private func plain(_ message: WebSocketMessage) throws -> [UInt8] {
        guard message.kind == .binary else { return message.bytes }
        if inflater == nil, message.bytes.first == UInt8(ascii: "[") { return message.bytes }
        let inflater = try self.inflater ?? Inflater(maximumSize: Self.maximumSize)
        self.inflater = inflater
        return Array(try inflater.write(ByteBuffer(bytes: message.bytes)).readableBytesView)
    }
}

extension ReplicationError {
    fileprivate init(refusing refusal: WebSocketRefusal, _ url: String) {
        let headers = refusal.response.headerFields
        self.init(
            status: refusal.response.status.code, url: url,
            from: Origin(server: headers[.server], contentType: headers[.contentType], body: refusal.body), body: refusal.body)
    }
}
