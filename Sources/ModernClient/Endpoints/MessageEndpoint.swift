public import ModernProtocol

/// A peer that is reached over a transport of the application's own, such as Bluetooth or a pipe.
public struct MessageEndpoint: ReplicatorEndpoint {
    /// Names the peer, for checkpoints.
    public let uid: String
    private let open: @Sendable () async throws -> ReplicatorConnection

    /// - Parameters:
    ///   - uid: A name of the peer's that stays the same.
    ///   - subprotocol: What both sides speak: nothing is negotiated.
    ///   - open: Opens a connection that carries messages: what one side sends at once the other receives at once.
    public init(uid: String, subprotocol: Subprotocol = .v3, open: @escaping @Sendable () async throws -> any MessageSocket) {
        self.uid = uid
        self.open = { ReplicatorConnection(socket: try await open(), subprotocol: subprotocol) }
    }

    /// - Parameters:
    ///   - uid: A name of the peer's that stays the same.
    ///   - openStream: Opens a connection that carries bytes, and keeps no boundaries between them.
    public init(uid: String, openStream: @escaping @Sendable () async throws -> any ByteStream) {
        self.init(uid: uid) { MessageStream(try await openStream()) }
    }

    /// As LiteCore writes it.
    public var identity: String { "x-msg-endpt:///\(uid)" }

    public func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection {
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

/// Any transport that carries bytes in their order, supplied by the application.
public protocol ByteStream: Sendable {
    /// Waits for bytes, and takes some of those that have arrived.
    ///
    /// - Returns: `nil` once the peer has closed.
    /// - Throws: If the transport breaks, or the task is cancelled.
    func read() async throws -> [UInt8]?

    /// Sends bytes, and returns when there is room for more.
    func write(_ bytes: [UInt8]) async throws

    /// Ends the transport; `read` returns or throws then.
    func close() async
}

/// Messages over a stream of bytes: before each its length in four bytes, the highest first.
///
/// Both ends have to be ours, or made for it: Couchbase Lite's own byte streams carry WebSocket frames.
public actor MessageStream: MessageSocket {
    /// A longer message is an error of the peer's.
    public static let maximumLength = 1 << 20

    private let stream: any ByteStream
    private var pending: [UInt8] = []

    public init(_ stream: any ByteStream) {
        self.stream = stream
    }

    public func receive() async throws -> [[UInt8]]? {
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

    public func send(_ messages: [[UInt8]]) async throws {
        var bytes: [UInt8] = []
        for message in messages {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: message.count >> shift)) }
            bytes += message
        }
        try await stream.write(bytes)
    }

    public func close(code: UInt16, reason: String) async {
        await stream.close()
    }

    public func drop() async {
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
