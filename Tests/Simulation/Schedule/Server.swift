/// One of the servers.
enum Server: String, Sendable, CaseIterable, CustomStringConvertible {
    case bridge, legacy, modern

    /// The names of the servers.
    static let names = ["bridge", "old", "new"]

    var description: String { self == .bridge ? "the bridge" : "the \(rawValue) upstream" }

    var restoring: Happening {
        switch self {
        case .bridge: .restoredBridge
        case .legacy: .restoredLegacyUpstream
        case .modern: .restoredModernUpstream
        }
    }
}
