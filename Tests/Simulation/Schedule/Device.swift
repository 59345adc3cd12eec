/// A client, and the server that it begins with.
struct Device: Hashable, Sendable, CustomStringConvertible {
    enum Home: String, Sendable {
        case bridge, old, new
    }

    let generation: Generation
    let home: Home

    /// What its user may see at the bridge; `nil` for everything.
    var channels: Set<String>?

    var description: String {
        let place = home == .bridge ? "bridge" : "\(home.rawValue) server"
        let channels = channels.map { ", who may see \($0.isEmpty ? "nothing" : $0.sorted().joined(separator: " and "))" } ?? ""
        return "generation \(generation.rawValue) at the \(place)\(channels)"
    }
}
