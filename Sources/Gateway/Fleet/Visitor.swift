import Storage

/// The origin of requests: a user, a kind of client, and an address.
package struct Visitor: Hashable, Sendable {
    /// The user's name; empty for the guest.
    let user: String
    let client: ClientKind

    /// An IPv4 address, or the first half of an IPv6 address.
    let address: String

    /// - Parameter address: an IP address without a port; `nil` if there is none. The second half of an IPv6 address is dropped, because devices
    ///   change it daily.
    package init(user: String?, client: ClientKind, address: String?) {
        self.user = user ?? ""
        self.client = client
        self.address = address.map(Self.network) ?? ""
    }

    /// The visitor of a stored visit.
    init(_ visit: Visit) {
        user = visit.user
        client = ClientKind(generation: visit.generation, agent: visit.agent)
        address = visit.address
    }

    /// The record to store for this visitor.
    func visit(from firstSeen: Int64, to lastSeen: Int64) -> Visit {
        Visit(
            user: user, generation: client.generation, agent: client.agent, address: address, firstSeen: firstSeen, lastSeen: lastSeen)
    }

    /// Reduces an IPv6 address to its network, `2001:db8:1:2::/64`. An address with a zone, such as `fe80::1%eth0`, is local and stays unchanged.
    private static func network(_ address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")), !address.utf8.contains(UInt8(ascii: ".")), !address.utf8.contains(UInt8(ascii: "%"))
        else { return address }
        let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false).map {
            $0.split(separator: ":").map(String.init)
        }
        let missing = max(0, 8 - halves.joined().count)
        let groups = halves.count == 2 ? halves[0] + Array(repeating: "0", count: missing) + halves[1] : halves[0]
        return groups.prefix(4).joined(separator: ":") + "::/64"
    }
}

/// A user with a kind of client, which counts as one client in the statistics.
struct VisitingClient: Hashable {
    let user: String
    let client: ClientKind
}
