/// The other side of a replication: a ``URLEndpoint``, a ``DatabaseEndpoint`` or a ``MessageEndpoint``.
public protocol ReplicatorEndpoint: Sendable {
    /// By what checkpoints tell this endpoint from others. It stays the same for as long as the other side holds the same data.
    var identity: String { get throws }

    /// Whether deltas are worth their while on the way there. By default they are.
    var takesDeltas: Bool { get }

    /// Opens a connection.
    ///
    /// - Throws: ``ReplicatorError``, or `CancellationError`.
    func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection
}

extension ReplicatorEndpoint {
    public var takesDeltas: Bool { true }
}
