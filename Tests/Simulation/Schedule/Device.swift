/// A client, and its first server.
struct Device: Hashable, Sendable, CustomStringConvertible {
    enum Home: String, Sendable {
        case bridge, old, new
    }

    let generation: Generation
    let home: Home

    /// The access of its user at the bridge; `nil` for everything.
    var channels: Set<String>?

    /// The platform of a 1.x client.
    var software = LegacySoftware.java

    /// Whether the replicator of a 1.x client runs all the time.
    var isContinuous = false

    func client(_ name: String) throws -> any SimulatedClient {
        generation == .first ? SimulatedLegacyClient(name, software, isContinuous: isContinuous) : try generation.client(name)
    }

    var description: String {
        let place = home == .bridge ? "bridge" : "\(home.rawValue) server"
        let channels = channels.map { ", who may see \($0.isEmpty ? "nothing" : $0.sorted().joined(separator: " and "))" } ?? ""
        let software = software == .java ? "" : software == .iOS ? " for iOS" : " for iOS with 32 bits"
        let mode = isContinuous ? ", continuous," : ""
        return "generation \(generation.rawValue)\(software)\(mode) at the \(place)\(channels)"
    }
}
