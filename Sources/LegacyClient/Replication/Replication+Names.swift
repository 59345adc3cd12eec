public import Documents
public import Foundation

/// Methods with Couchbase Lite 1.x's names, for code that is ported from it.
extension Replication {
    /// Defines a push filter that ``ReplicationSettings/filter`` can name.
    public func setFilter(named name: String, _ allows: @escaping @Sendable (PushedRevision, [String: JSONValue]) -> Bool) {
        settings.pushFilters[name] = PushFilter(allows)
    }

    /// Sets a cookie that is sent with requests, for example the session of an application server.
    ///
    /// - Parameters:
    ///   - name: The cookie's name. A cookie of the same name and path is replaced.
    ///   - value: The cookie's value.
    ///   - path: The path prefix of the requests that get the cookie; `nil` for all.
    ///   - expirationDate: `nil` for no expiration.
    ///   - secure: Whether the cookie is sent over TLS only.
    ///   - httpOnly: Whether scripts in browsers may not read it. Has no effect here.
    public func setCookie(
        name: String, value: String, path: String?, expirationDate: Date?, secure: Bool, httpOnly: Bool = false
    ) {
        setCookie(
            name: name, value: value, path: path, expires: expirationDate.map { Int64($0.timeIntervalSince1970) }, secure: secure,
            httpOnly: httpOnly)
    }

    /// Calls the listener with the current status and counts, and on each change, sequentially, until it is removed or the replication is
    /// deallocated. ``changes()`` provides the same values as a sequence.
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

    /// Removes a listener.
    public func removeChangeListener(_ token: ReplicationListenerToken) {
        token.remove()
    }
}

/// Identifies a listener for its removal. Discarding the token does not remove the listener.
public final class ReplicationListenerToken: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Stops calling the listener.
    public func remove() {
        task.cancel()
    }
}
