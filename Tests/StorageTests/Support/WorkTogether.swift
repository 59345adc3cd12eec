import Dispatch

@testable import Storage

/// Blocks the writer until it is opened, so that work gathers behind it. It stays open afterwards: its work is repeated when other work
/// of its group fails.
final class WriterGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }
}

/// Starts work for each index while the writer is blocked, opens it, and returns the results in order.
func together<Value: Sendable>(
    _ store: any MeasuredStore, _ count: Int, _ work: @escaping @Sendable (Int, any StoreTransaction) throws -> Value
) async -> [Result<Value, any Error>] {
    let gate = WriterGate()
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let holder = Task {
        try await store.write { _ in
            starting.yield()
            gate.pass()
        }
    }
    for await _ in started { break }
    let results = await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
        for index in 0..<count {
            group.addTask {
                do {
                    return (index, .success(try await store.write { try work(index, $0) }))
                } catch {
                    return (index, .failure(error))
                }
            }
        }
        group.addTask {
            await store.waitForQueuedWrites(count)
            gate.open()
            return (-1, .failure(CancellationError()))
        }
        return await group.reduce(into: []) { $0.append($1) }
    }
    _ = try? await holder.value
    return results.filter { $0.0 >= 0 }.sorted { $0.0 < $1.0 }.map(\.1)
}
