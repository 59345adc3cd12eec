public import Documents
public import Foundation

/// Couchbase Lite 1.x's names, for code that comes from there.
extension Replication {
    /// Defines a push filter that ``ReplicationSettings/filter`` can name.
    public func setFilter(named name: String, _ allows: @escaping @Sendable (PushedRevision, [String: JSONValue]) -> Bool) {
        settings.pushFilters[name] = PushFilter(allows)
    }

    /// Sets a cookie that is sent with requests: that of a session which an application server has made, say.
    ///
    /// - Parameter expirationDate: `nil` for never.
    public func setCookie(
        name: String, value: String, path: String?, expirationDate: Date?, secure: Bool, httpOnly: Bool = false
    ) {
        setCookie(
            name: name, value: value, path: path, expires: expirationDate.map { Int64($0.timeIntervalSince1970) }, secure: secure,
            httpOnly: httpOnly)
    }

    /// Calls the listener with the status and the counts as they are, and whenever they change, one call after the other, until it is taken
    /// away or the replication is gone. ``changes()`` says the same as a sequence.
    @discardableResult
    public func addChangeListener(_ listener: @escaping @Sendable (ReplicationChange) async -> Void) -> ReplicationListenerToken {
        let changes = changes()
        return ReplicationListenerToken(
            Task {
                for await change in changes {
                    guard !Task.isCancelled else { return }
                    await listener(change)
                }
            })
    }

    /// Takes a listener away.
    public func removeChangeListener(_ token: ReplicationListenerToken) {
        token.remove()
    }
}

/// By this a listener is taken away again. Who throws it away goes on listening.
public final class ReplicationListenerToken: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// The listener is called no more.
    public func remove() {
        task.cancel()
    }
}
