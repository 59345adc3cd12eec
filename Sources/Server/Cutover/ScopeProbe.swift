import BridgeConfiguration
import Coordination
import Cutover
import Documents
import Gateway
import LegacyClient
import ReplicationService

/// Queries the old server for the channels that the replication's login sees. Caches the result, because the cutover's status is requested
/// often.
actor ScopeProbe {
    /// How long a result is cached, in milliseconds. A failure is cached only long enough to serve concurrent requests.
    private static let lifetime: Int64 = 60_000
    private static let failureLifetime: Int64 = 5_000

    /// The time limit of the whole query. A limit on silence alone is not enough: a server that sends its reply in small pieces is never
    /// silent.
    private let limit: Duration

    private var last: (definition: ReplicationDefinition, time: Int64, scope: ScopeMeasurement)?

    /// - Parameter limit: the time limit of the whole query. An administrator's request waits for it.
    init(limit: Duration = .seconds(5)) { self.limit = limit }

    /// - Parameter isFresh: whether to bypass the cache.
    func scope(of definition: ReplicationDefinition, isFresh: Bool) async -> ScopeMeasurement {
        let now = Timestamp.now
        if !isFresh, let last, last.definition == definition, (0..<Self.lifetime(of: last.scope)).contains(now - last.time) {
            return last.scope
        }
        let scope = await ask(definition)
        // The cache counts from the answer: a failure after the whole limit would otherwise be outdated as soon as it is known.
        last = (definition, Timestamp.now, scope)
        return scope
    }

    private static func lifetime(of scope: ScopeMeasurement) -> Int64 {
        if case .unknown = scope { failureLifetime } else { lifetime }
    }

    private func ask(_ definition: ReplicationDefinition) async -> ScopeMeasurement {
        await withTimeout(limit) { [limit] in await Self.measure(definition, within: limit) }
            ?? .unknown("the old server has not answered within \(limit)")
    }

    private static func measure(_ definition: ReplicationDefinition, within limit: Duration) async -> ScopeMeasurement {
        var once = definition
        once.maxAttempts = 1
        do {
            return measurement(seen: try await ReplicationBuilder.seenChannels(once, patience: limit), wanted: definition.channels)
        } catch let error as ReplicationError {
            return .unknown(error.message)
        } catch {
            return .unknown("\(error)")
        }
    }

    /// - Parameters:
    ///   - seen: the channels of the login; `nil` for all.
    ///   - wanted: the channels that the replication requests; empty for all.
    static func measurement(seen: [String]?, wanted: [String]) -> ScopeMeasurement {
        let isChosen = !wanted.isEmpty && !wanted.contains("*")
        guard let seen else { return isChosen ? .chosen(wanted.sorted()) : .everything }
        return isChosen && Set(wanted).isSubset(of: seen) ? .chosen(wanted.sorted()) : .channels(seen)
    }
}
