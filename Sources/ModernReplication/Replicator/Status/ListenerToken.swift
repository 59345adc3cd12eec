/// By this a listener is taken away again. Who throws it away goes on listening.
public final class ListenerToken: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// The listener is called no more.
    public func remove() {
        task.cancel()
    }
}
