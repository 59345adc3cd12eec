import Gateway
import Storage

extension DatabaseConfiguration {
    /// The bridge's configuration: its collections, and possibly its routes.
    ///
    /// - Parameter resolves: Whether it closes losing branches at once.
    static func bridge(isRouted: Bool, deltas: Bool = false, resolves: Bool = false) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration(name: "bridge")
        configuration.deltaSync = deltas
        if resolves { configuration.conflicts = .resolve }
        configuration.collections = [.empty, .notes, .orders].map { CollectionConfiguration(name: $0) }
        configuration.defaultCollection = .remainder
        configuration.routes = isRouted ? shopRoutes : []
        return configuration
    }

    /// The old server of 1.x clients.
    static var old: DatabaseConfiguration { DatabaseConfiguration(name: "old") }

    /// - Parameter keepsOneLine: Whether it refuses branches.
    static func old(refusesBranches: Bool) -> DatabaseConfiguration {
        var configuration = old
        if refusesBranches { configuration.conflicts = .refuse }
        return configuration
    }

    /// The new server of 3.x clients.
    static var new: DatabaseConfiguration {
        var configuration = bridge(isRouted: false)
        configuration.name = "new"
        return configuration
    }

    static let shopRoutes = [
        Route(to: .orders, when: .idPrefix("order::"), stripsPrefix: true),
        Route(to: .notes, when: .property(name: "type", equals: .string("note"))),
    ]
}

extension CollectionName {
    /// Never written.
    static let empty = CollectionName(scope: "shop", name: "empty")
    static let notes = CollectionName(scope: "shop", name: "notes")
    static let orders = CollectionName(scope: "shop", name: "orders")
}

extension Node {
    /// Starts with the routes and moves the documents of the routes.
    ///
    /// - Returns: The number of moved documents.
    func migrate() async throws -> Int {
        try await restart { $0.routes = DatabaseConfiguration.shopRoutes }
        try await worker()
        var steps = work.moveSteps(of: try await work.beginMoves(fingerprint: work.routesFingerprint))
        var moved = 0
        while let step = try await steps.next(limit: 3) {
            moved += step.moved.values.reduce(0) { $0 + $1.documents }
        }
        return moved
    }

    /// Reverts all runs, the last run first, and starts without routes.
    ///
    /// - Returns: The number of documents that were moved back.
    func revert() async throws -> Int {
        var moved = 0
        try await worker()
        for run in try await work.moveRuns().reversed() where run.state != .reverted {
            var steps = work.revertSteps(of: run)
            while let step = try await steps.next(limit: 3) { moved += step.documents }
        }
        try await restart { $0.routes = [] }
        return moved
    }

    /// Deletes documents that expire within some hours from the simulation's beginning.
    ///
    /// - Returns: The number of documents.
    func expire(hours: Int) async throws -> Int {
        let time = (Int64(Content.beginning) + Int64(hours) * 3_600) * 1_000
        try await worker()
        return try await work.expireDocuments(at: time).deleted
    }
}
