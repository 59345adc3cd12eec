import TestSupport

/// An administrator's change of access, besides a user's own channels.
enum AccessStep: Hashable, Sendable, CustomStringConvertible {
    /// The role has these channels from now on.
    case team(Set<String>)

    /// A client's user gets the role, or loses it.
    case membership(client: Int)

    /// A client's user gets the channel of everything besides the user's own channels, or loses it.
    case everything(client: Int)

    static func drawn(_ clients: [Int], from generator: inout SeededGenerator) -> AccessStep {
        let client = clients.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return .team(.drawn(from: &generator))
        case 1: return .everything(client: client)
        default: return .membership(client: client)
        }
    }

    var description: String {
        switch self {
        case .team(let channels): "the team may see \(channels.isEmpty ? "nothing" : channels.sorted().joined(separator: ", "))"
        case .membership(let client): "client \(client) enters or leaves the team"
        case .everything(let client): "client \(client) may see everything, or no longer"
        }
    }
}
