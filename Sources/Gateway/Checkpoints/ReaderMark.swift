import Access
import Storage
import Synchronization

/// Notes in the store that a device is going to read a feed or to push: once, before the first row or document.
final class ReaderMark: Sendable {
    private let isSet = Mutex(false)

    func set(in store: any Store) async throws {
        guard !isSet.withLock({ $0 }) else { return }
        if try await !store.read({ try $0.hasReaders }) { try await store.write { try $0.noteReader() } }
        isSet.withLock { $0 = true }
    }
}

extension Keyspace {
    /// Notes that devices may have documents from now on: those that they read, and their own. What is taken away after that has to be told.
    func noteDevice() async throws {
        if !principal.isAdministrator { try await database.readers.set(in: store) }
    }
}
