import Coordination

/// The current numbers of a database's connections and feeds, by kind.
package final class Activity: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Waiting `_changes` with `feed=longpoll`.
        case longpoll
        /// `_changes` with `feed=continuous`.
        case continuous
        /// `_changes` with `feed=websocket`.
        case webSocket = "websocket"
        /// Connections of 2.x+ clients.
        case blip
        /// Continuous pulls of 2.x+ clients, each of one collection.
        case subChanges = "sub_changes"
    }

    private let counts = Lock<[Kind: Int]>([:])
    private let clients = Lock<[ClientKind: Int]>([:])

    /// The current number of a kind.
    package subscript(kind: Kind) -> Int { counts.withLock { $0[kind] ?? 0 } }

    /// The current number of connections of 2.x+ clients, by client.
    package var connections: [ClientKind: Int] { clients.withLock { $0 } }

    /// Counts one of the kind during `work`.
    package func during<Value>(_ kind: Kind, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value) async rethrows
        -> Value
    {
        counts.withLock { $0[kind, default: 0] += 1 }
        defer { counts.withLock { $0[kind, default: 0] -= 1 } }
        return try await work()
    }

    /// Counts one connection of a 2.x+ client during `work`.
    package func connected<Value>(
        _ client: ClientKind, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        clients.withLock { $0[client, default: 0] += 1 }
        defer {
            clients.withLock { clients in
                let count = clients[client, default: 0] - 1
                clients[client] = count > 0 ? count : nil
            }
        }
        return try await during(.blip, work)
    }
}
