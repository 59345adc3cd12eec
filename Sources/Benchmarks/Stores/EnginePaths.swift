import Foundation

/// The whole paths of documents, from the client's request to the store and back, with each engine.
struct EnginePaths {
    let rows: BenchmarkRows
    let program: String
    let folder: String

    /// The cost of the plain insert by libpq.
    let floor: Cost

    /// Measures all paths with one engine.
    ///
    /// - Parameters:
    ///   - address: The address of the store of a database.
    ///   - known: The costs with the other engine, by path.
    /// - Returns: The costs by path.
    func measure(_ engine: String, beside known: [String: Cost] = [:], address: (String) -> String) async throws -> [String: Cost] {
        let databases = ["http", "blip"].map { name in
            "  \(name): { store: '\(address(name))', guest: { enabled: true, channels: [\"*\"] } }"
        }
        let server = try await ServedProcess(program: program, folder: folder, databases: databases.joined(separator: "\n"))
        defer { server.stop() }
        var costs: [String: Cost] = [:]
        for path in try await BenchmarkPath.all(rows) {
            let (before, start) = (try server.usage(), ContinuousClock.now)
            try await path.run(server.port)
            let cost = Cost(
                processor: try server.usage().processor - before.processor, wall: start.duration(to: .now), documents: rows.rows.count)
            costs[path.name] = cost
            report("\(engine): \(path.name)", cost, beside: known[path.name])
        }
        return costs
    }

    private func report(_ name: String, _ cost: Cost, beside other: Cost?) {
        let rate = String(format: "%5.2f of the floor's rate", cost.rate / floor.rate)
        let processor = other.map { String(format: "  %5.2f x processor time", cost.microseconds / $0.microseconds) } ?? ""
        print(
            name.padding(toLength: 42, withPad: " ", startingAt: 0), String(format: "%7.2f us", cost.microseconds),
            String(format: "%9.0f/s wall ", cost.rate), rate, processor)
    }
}
