import Storage
import Synchronization

/// Notes in the store that a client is going to read a feed: once, before the first row.
final class ReaderMark: Sendable {
    private let isSet = Mutex(false)

    func set(in store: any Store) async throws {
        guard !isSet.withLock({ $0 }) else { return }
        if try await !store.read({ try $0.hasReaders }) { try await store.write { try $0.noteReader() } }
        isSet.withLock { $0 = true }
    }
}
