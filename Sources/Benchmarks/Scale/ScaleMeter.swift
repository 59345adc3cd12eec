import AsyncHTTPClient
import Foundation
import NIOCore
import Peers

/// The cost of one operation, on average.
struct ScaleCost: Sendable {
    /// Processor time, in microseconds.
    let processor: Double

    /// Steps of SQLite, of reads and commits (`dualgauge_store_steps_total`).
    let steps: Double

    /// How large the answer was.
    let answer: Double
}

/// Runs operations, and reads the processor time and the steps of the bridge's process before and after.
struct ScaleMeter {
    /// Clock ticks are ten milliseconds: an operation is repeated until it has taken many of them.
    private static let enough = 0.4
    private static let repetitions = 400

    let server: ServedProcess

    func cost(of operation: ScaleOperation, in database: ScaleDatabase) async throws -> ScaleCost {
        // The first run reads what the bridge keeps from one request to the next.
        _ = try await operation.run(database, 0)
        let (processor, steps) = (try server.usage().processor, try await self.steps(database))
        var (count, answer) = (0, 0)
        var taken = 0.0
        while count < 3 || taken < Self.enough && count < Self.repetitions {
            count += 1
            answer += try await operation.run(database, count)
            taken = try server.usage().processor - processor
        }
        return ScaleCost(
            processor: taken * 1e6 / Double(count), steps: (try await self.steps(database) - steps) / Double(count),
            answer: Double(answer) / Double(count))
    }

    private func steps(_ database: ScaleDatabase) async throws -> Double {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(server.adminPort)/metrics")
        let body = try await HTTPClient.shared.execute(request, timeout: .seconds(60)).body.collect(upTo: 16 << 20)
        let lines = String(buffer: body).split(separator: "\n")
        let own = lines.filter { $0.hasPrefix("dualgauge_store_steps_total{database=\"\(database.name)\"") }
        guard own.count == 2 else { throw PeerError("/metrics does not tell the steps of \(database.name)") }
        return own.reduce(0) { $0 + (Double($1.split(separator: " ").last ?? "") ?? 0) }
    }
}
