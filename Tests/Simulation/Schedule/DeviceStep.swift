import TestSupport

/// What becomes of a device or its app, beside what a person does with it.
enum DeviceStep: Hashable, Sendable {
    /// The app replicates with the same server under another URL.
    case changeURL
    /// A backup is made of the device, or the device is put back to its latest.
    case backUp, restore
    /// It gets a copy of another device's database.
    case copy(from: Int)
    /// The app that names no collections goes on with some.
    case gainCollections
    /// The app of 3.x becomes one of 4.x, which upgrades the database to versions.
    case gainVersions

    func description(of client: Int) -> String {
        switch self {
        case .changeURL: "client \(client) gets another URL of its server"
        case .backUp: "a backup is made of client \(client)"
        case .restore: "client \(client) is restored from its backup"
        case .copy(let source): "client \(client) gets a copy of client \(source)"
        case .gainVersions: "the app of client \(client) becomes one of 4.x"
        case .gainCollections: "the app of client \(client) goes on with collections"
        }
    }

    /// - Parameter client: whose step it is.
    static func drawn(for client: Int, of devices: [Device], from generator: inout SeededGenerator) -> DeviceStep {
        // What its user may not see a device does not get from another one's.
        let others = devices.indices.filter { $0 != client && devices[$0] == devices[client] && devices[client].channels == nil }
        if let source = others.randomElement(using: &generator), generator.once(in: 2) { return .copy(from: source) }
        switch devices[client].generation {
        case .second where !generator.once(in: 3): return .gainCollections
        case .third where !generator.once(in: 3): return .gainVersions
        default: return Bool.random(using: &generator) ? .changeURL : .restore
        }
    }
}

extension [Operation] {
    /// Puts a step somewhere into a schedule; one that takes something back behind what it takes back, and another URL beside an upgrade.
    mutating func insert(_ step: DeviceStep, on client: Int, from generator: inout SeededGenerator) {
        let place = Int.random(in: 0...count, using: &generator)
        insert(.device(client: client, step), at: place)
        switch step {
        case .restore: insert(.device(client: client, .backUp), at: Int.random(in: 0...place, using: &generator))
        // An upgraded database proposes what it had before at another URL, or what was not pushed yet.
        case .gainVersions: insert(.device(client: client, .changeURL), at: Int.random(in: place...count, using: &generator))
        default: break
        }
    }
}
