/// A client, and the server that it begins with.
struct Device: Hashable, Sendable, CustomStringConvertible {
    enum Home: String, Sendable {
        case bridge, old, new
    }

    let generation: Generation
    let home: Home

    var description: String { "generation \(generation.rawValue) at the \(home == .bridge ? "bridge" : "\(home.rawValue) server")" }
}
