/// The other side of a replication: a ``URLEndpoint``, a ``DatabaseEndpoint`` or a ``MessageEndpoint``.
public protocol ReplicatorEndpoint: Sendable {
    /// By what checkpoints tell this endpoint from others. It stays the same for as long as the other side holds the same data.
    var identity: String { get throws }

    /// Opens a connection.
    ///
    /// - Throws: ``ReplicatorError``, or `CancellationError`.
    func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection
}
