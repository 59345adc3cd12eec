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
