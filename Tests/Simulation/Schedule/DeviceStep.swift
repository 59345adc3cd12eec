import TestSupport

/// A step of a device or its app, besides a user's edits.
enum DeviceStep: Hashable, Sendable {
    /// The app replicates with the same server under another URL.
    case changeURL
    /// A backup is made of the device, or the device is restored from its latest backup.
    case backUp, restore
    /// It gets a copy of another device's database.
    case copy(from: Int)
    /// The app without collections gains some.
    case gainCollections
    /// The app of 3.x is upgraded to 4.x, which upgrades the database to versions.
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

    /// - Parameter client: The client of the step.
    static func drawn(for client: Int, of devices: [Device], from generator: inout SeededGenerator) -> DeviceStep {
        // A device gets no documents from another device's database that its user may not see.
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
    /// Inserts a step into a schedule at a random place; a step that reverses another follows it, and another URL follows an upgrade.
    mutating func insert(_ step: DeviceStep, on client: Int, from generator: inout SeededGenerator) {
        let place = Int.random(in: 0...count, using: &generator)
        insert(.device(client: client, step), at: place)
        switch step {
        case .restore: insert(.device(client: client, .backUp), at: Int.random(in: 0...place, using: &generator))
        // At another URL an upgraded database proposes its former documents, or those that were not pushed yet.
        case .gainVersions: insert(.device(client: client, .changeURL), at: Int.random(in: place...count, using: &generator))
        default: break
        }
    }
}
