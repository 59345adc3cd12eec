import Documents
import Foundation
import Gateway

/// The bridge and its clients, and what they do one after the other.
final class World {
    /// The most rounds in which everybody replicates until nothing moves.
    static let maximumRounds = 12

    let bridge: Node
    let clients: [any SimulatedClient]
    let ledger = Ledger()
    private(set) var trace = Trace()
    private let folder: String

    /// - Parameter client: makes a client; tests put in one that misbehaves.
    init(_ schedule: Schedule, client: (Generation, String) -> any SimulatedClient = { $0.client($1) }) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "simulation-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        bridge = try await Node(.bridge(isRouted: schedule.isRouted), in: folder)
        clients = schedule.clients.enumerated().map { client($1, "client-\($0)-gen\($1.rawValue)") }
    }

    func close() async throws {
        try await bridge.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Carries out a step to its end.
    func perform(_ operation: Operation) async throws {
        let result = try await result(of: operation)
        trace.note("\(operation)\(result.isEmpty ? "" : ": \(result)")")
    }

    private func result(of operation: Operation) async throws -> String {
        switch operation {
        case .edit(let client, let subject, let edit):
            return try clients[client].edit(edit, Subject.all[subject], ledger: ledger)?.text ?? "nothing to do"
        case .replicate(let client, let direction, let fault): return try await replicate(clients[client], direction, fault)
        case .forget(let client): clients[client].forgetCheckpoints()
        case .restart: try await bridge.restart()
        case .migrate: return "\(try await bridge.migrate()) moved"
        case .revert: return "\(try await bridge.revert()) moved back"
        }
        return ""
    }

    private func replicate(_ client: any SimulatedClient, _ direction: Direction, _ fault: Fault?) async throws -> String {
        let line = Line(to: bridge, ledger: ledger, fault: fault)
        bridge.arm(fault)
        var end = ""
        do {
            try await client.replicate(direction, over: line)
        } catch is Disconnected {
            end = "; cut"
        } catch let surprise as Surprise {
            throw Violation(invariant: .protocolConformance, detail: "\(client.name): \(surprise)")
        }
        bridge.arm(nil)
        if bridge.isDown {
            end += "; the server died"
            try await bridge.recover()
        }
        return "\(line.traffic)\(end)"
    }

    /// Has everybody replicate, with nothing going wrong, until a round transfers nothing.
    func settle() async throws {
        for _ in 0..<Self.maximumRounds {
            let traffic = try await round()
            trace.note("everybody replicates: \(traffic)")
            if traffic.isQuiet { return }
        }
        throw Violation(invariant: .quiet, detail: "after \(Self.maximumRounds) rounds there is still something to transfer")
    }

    /// Everybody replicates once.
    func round() async throws -> Traffic {
        var total = Traffic()
        for client in clients {
            let line = Line(to: bridge, ledger: ledger, fault: nil)
            do {
                try await client.replicate(.both, over: line)
            } catch is Disconnected {
                throw Violation(invariant: .protocolConformance, detail: "\(client.name) was disconnected")
            } catch let surprise as Surprise {
                throw Violation(invariant: .protocolConformance, detail: "\(client.name): \(surprise)")
            }
            total += line.traffic
        }
        return total
    }
}
