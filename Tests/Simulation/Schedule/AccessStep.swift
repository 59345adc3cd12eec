import TestSupport

/// What an administrator does to who may see what, beside giving users channels of their own.
enum AccessStep: Hashable, Sendable, CustomStringConvertible {
    /// The role has these channels from now on.
    case team(Set<String>)

    /// A client's user enters the role, or leaves it.
    case membership(client: Int)

    /// A client's user may see everything beside what he has, or may not any more.
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
