import Documents
import Foundation
import Gateway
import Storage

/// The bridges with a store open, and the bridge that has the lease, as JSON.
enum BridgeList {
    static func json(_ lease: WorkLease, now: Date = .now) -> JSONValue {
        let roster = lease.roster
        let bridges = roster.bridges.sorted { ($0.value.name, $0.key) < ($1.value.name, $1.key) }
        return .array(
            bridges.map { id, bridge in
                // By this bridge's clock, because the clocks of machines are not compared.
                let seen = lease.silence(of: id).map { Int64((now.timeIntervalSince1970 * 1000).rounded()) - $0.wholeMilliseconds }
                return .object([
                    JSONMember("id", .string(id)), JSONMember("name", .string(bridge.name)),
                    JSONMember("started", time(bridge.started)), JSONMember("last_seen", seen.map(time) ?? .null),
                    JSONMember("clients", .number(String(bridge.clients))), JSONMember("works", .bool(roster.holder == id)),
                    JSONMember("stopping", .bool(bridge.isStopping == true)),
                ])
            })
    }

    private static func time(_ milliseconds: Int64) -> JSONValue { .string(Timestamp.rfc3339(milliseconds: milliseconds)) }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
