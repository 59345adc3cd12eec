import Coordination

/// A search that ends after a time.
package enum ServiceSearch {
    /// The services of a type that answer within a time, by name.
    ///
    /// - Throws: ``DiscoveryError``; `CancellationError`.
    package static func services(of type: ServiceType = .bridge, within time: Duration) async throws -> [DiscoveredService] {
        let found = Found()
        let search = try ServiceDiscovery.browse(type) { found.record($0) }
        defer { search.end() }
        // There is no event for the last answer: every machine in the network answers at its own time.
        try await suspend(for: time)
        if let error = found.error { throw error }
        return DiscoveredService.merged(found.services)
    }

    private final class Found: Sendable {
        /// The most services that are listed: everybody in the network can announce some.
        private static let limit = 10_000

        private let state = Lock((services: [DiscoveredService](), error: DiscoveryError?.none))

        var services: [DiscoveredService] { state.withLock { $0.services } }
        var error: DiscoveryError? { state.withLock { $0.error } }

        func record(_ event: ServiceDiscovery.Event) {
            state.withLock { state in
                switch event {
                case .found(let service): if state.services.count < Self.limit { state.services.append(service) }
                case .lost(let name): state.services.removeAll { $0.name == name }
                case .failed(let error): state.error = error
                case .announced, .caughtUp: break
                }
            }
        }
    }
}
