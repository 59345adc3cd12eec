import BridgeConfiguration
import Cutover
import Documents
import LegacyClient
import ReplicationService

/// Asks the old server what the replication's login sees there, and keeps the answer for a while: the state of a cutover is asked for often.
actor ScopeProbe {
    /// How long an answer is told again, in milliseconds; that there was none, only as long as several ask at once.
    private static let lifetime: Int64 = 60_000
    private static let failureLifetime: Int64 = 5_000

    /// How long the server may be silent.
    private static let patience = Duration.seconds(8)

    private var last: (definition: ReplicationDefinition, time: Int64, scope: ScopeMeasurement)?

    /// - Parameter isFresh: whether the server is asked whatever was answered before.
    func scope(of definition: ReplicationDefinition, isFresh: Bool) async -> ScopeMeasurement {
        let now = Timestamp.now
        if !isFresh, let last, last.definition == definition, (0..<Self.lifetime(of: last.scope)).contains(now - last.time) {
            return last.scope
        }
        let scope = await Self.ask(definition)
        last = (definition, now, scope)
        return scope
    }

    private static func lifetime(of scope: ScopeMeasurement) -> Int64 {
        if case .unknown = scope { failureLifetime } else { lifetime }
    }

    private static func ask(_ definition: ReplicationDefinition) async -> ScopeMeasurement {
        // Somebody waits for the answer, so a server that is away, or silent, is not waited for.
        var once = definition
        once.maxAttempts = 1
        do {
            return measurement(seen: try await ReplicationBuilder.seenChannels(once, patience: patience), wanted: definition.channels)
        } catch let error as ReplicationError {
            return .unknown(error.message)
        } catch {
            return .unknown("\(error)")
        }
    }

    /// - Parameters:
    ///   - seen: the channels of the login; `nil` for everything.
    ///   - wanted: the channels that the replication asks for; none for everything.
    static func measurement(seen: [String]?, wanted: [String]) -> ScopeMeasurement {
        let isChosen = !wanted.isEmpty && !wanted.contains("*")
        guard let seen else { return isChosen ? .chosen(wanted.sorted()) : .everything }
        return isChosen && Set(wanted).isSubset(of: seen) ? .chosen(wanted.sorted()) : .channels(seen)
    }
}
