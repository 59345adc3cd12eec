package import ModernProtocol

/// A peer that is reached over the application's own transport, such as Bluetooth or a pipe.
package struct MessageEndpoint: ReplicatorEndpoint {
    /// The name of the peer in checkpoints.
    package let uid: String
    private let open: @Sendable () async throws -> ReplicatorConnection

    /// - Parameters:
    ///   - uid: A stable name of the peer.
    ///   - subprotocol: The protocol version of both sides: nothing is negotiated.
    ///   - open: Opens a connection with message boundaries: each sent message is received as one message.
    package init(uid: String, subprotocol: Subprotocol = .v3, open: @escaping @Sendable () async throws -> any MessageSocket) {
        self.uid = uid
        self.open = { ReplicatorConnection(socket: try await open(), subprotocol: subprotocol) }
    }

    /// - Parameters:
    ///   - uid: A stable name of the peer.
    ///   - openStream: Opens a connection that transfers bytes without message boundaries.
    package init(uid: String, openStream: @escaping @Sendable () async throws -> any ByteStream) {
        self.init(uid: uid) { MessageStream(try await openStream()) }
    }

    /// In LiteCore's form.
    package var identity: String { "x-msg-endpt:///\(uid)" }

    package func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection {
        do {
            return try await open()
        } catch let error as CancellationError {
            throw error
        } catch let error as ReplicatorError {
            throw error
        } catch {
            throw ReplicatorError(.connectionReset, "The peer \(uid) cannot be reached", cause: error)
        }
    }
}

/// A transport that delivers bytes in their order, supplied by the application.
package protocol ByteStream: Sendable {
    /// Waits for bytes, and returns some of those that have arrived.
    ///
    /// - Returns: `nil` once the peer has closed.
    /// - Throws: If the transport breaks, or the task is cancelled.
    func read() async throws -> [UInt8]?

    /// Sends bytes, and returns when the transport accepts more.
    func write(_ bytes: [UInt8]) async throws

    /// Closes the transport; `read` returns or throws then.
    func close() async
}

/// Messages over a byte stream: each is preceded by its length in four bytes, the most significant first.
///
/// The peer has to use the same framing: Couchbase Lite's own byte streams carry WebSocket frames.
package actor MessageStream: MessageSocket {
    /// The maximum length of a message in bytes; a longer one is a protocol error of the peer.
    package static let maximumLength = 1 << 20

    private let stream: any ByteStream
    private var pending: [UInt8] = []

    package init(_ stream: any ByteStream) {
        self.stream = stream
    }

    package func receive() async throws -> [[UInt8]]? {
        while true {
            let messages = try takeMessages()
            if !messages.isEmpty { return messages }
            guard let bytes = try await stream.read() else {
                guard pending.isEmpty else {
                    throw ReplicatorError(.abnormalClose, "The peer closed in the middle of a message")
                }
                return nil
            }
            pending += bytes
        }
    }

    package func send(_ messages: [[UInt8]]) async throws {
        var bytes: [UInt8] = []
        for message in messages {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: message.count >> shift)) }
            bytes += message
        }
        try await stream.write(bytes)
    }

    package func close(code: UInt16, reason: String) async {
        await stream.close()
    }

    package func drop() async {
        await stream.close()
    }

    private func takeMessages() throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var start = 0
        while pending.count - start >= 4 {
            let length = pending[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard length <= Self.maximumLength else {
                throw ReplicatorError(
                    .webSocketProtocolError, "A message of the peer's has \(length) bytes; at most \(Self.maximumLength) are allowed")
            }
            guard pending.count - start - 4 >= length else { break }
            messages.append(Array(pending[(start + 4)..<(start + 4 + length)]))
            start += 4 + length
        }
        pending.removeFirst(start)
        return messages
    }
}
