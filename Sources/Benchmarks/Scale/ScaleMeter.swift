import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Peers

/// The average cost of one operation.
struct ScaleCost: Sendable {
    /// Processor time in microseconds.
    let processor: Double

    /// SQLite steps of reads and commits (`dualgauge_store_steps_total`).
    let steps: Double

    /// Size of the response.
    let answer: Double

    /// Number of reads in all repetitions that held a connection of the store for more than 50 ms (`dualgauge_read_seconds`).
    let longReads: Int
}

/// Measures operations by the processor time and the SQLite steps of the bridge's process.
struct ScaleMeter {
    /// Seconds of processor time until which an operation is repeated, because the resolution is ten milliseconds.
    private static let enough = 0.4
    private static let repetitions = 400

    let server: ServedProcess

    /// The program with the measured commands.
    let program: String

    func cost(of operation: ScaleOperation, in database: ScaleDatabase) async throws -> ScaleCost {
        switch operation.work {
        case .request(let run): try await cost(in: database, run)
        case .command(let arguments): try await cost(of: arguments(database), in: database)
        case .besideFeeds(let run):
            try await database.following(database.population.documents / 400) { try await cost(in: database, run) }
        }
    }

    private func cost(in database: ScaleDatabase, _ run: ScaleOperation.Request) async throws -> ScaleCost {
        // An unmeasured run fills the bridge's caches.
        _ = try await run(database, 0)
        let (processor, before) = (try server.usage().processor, try await figures(of: database))
        var (count, answer) = (0, 0)
        var taken = 0.0
        while count < 3 || taken < Self.enough && count < Self.repetitions {
            count += 1
            answer += try await run(database, count)
            taken = try server.usage().processor - processor
        }
        let after = try await figures(of: database)
        return ScaleCost(
            processor: taken * 1e6 / Double(count), steps: (after.steps - before.steps) / Double(count),
            answer: Double(answer) / Double(count), longReads: Int(after.longReads - before.longReads))
    }

    /// Measures a command in a separate process, whose SQLite steps are not counted. Its response size is the size of the database.
    private func cost(of arguments: [String], in database: ScaleDatabase) async throws -> ScaleCost {
        let before = try await figures(of: database)
        var command = MeasuredCommand(program, arguments)
        try await command.run()
        let after = try await figures(of: database)
        return ScaleCost(
            processor: command.processor * 1e6, steps: 0, answer: Double(database.population.documents),
            longReads: Int(after.longReads - before.longReads))
    }

    private func figures(of database: ScaleDatabase) async throws -> (steps: Double, longReads: Double) {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(server.adminPort)/metrics")
        let body = try await HTTPClient.shared.execute(request, timeout: .seconds(60)).body.collect(upTo: 16 << 20)
        let lines = String(buffer: body).split(separator: "\n")
        func sum(_ name: String, _ labels: String = "") throws -> Double {
            let own = lines.filter { $0.hasPrefix("\(name){database=\"\(database.name)\"\(labels)") }
            guard !own.isEmpty else { throw PeerError("/metrics has no \(name) of \(database.name)") }
            return own.reduce(0) { $0 + (Double($1.split(separator: " ").last ?? "") ?? 0) }
        }
        let short = try sum("dualgauge_read_seconds_bucket", #",le="0.05""#)
        return (try sum("dualgauge_store_steps_total"), try sum("dualgauge_read_seconds_count") - short)
    }
}

/// A reader and a writer of the larger database, whose latencies are measured while an operation runs in it.
struct ConcurrentScaleClient: Sendable {
    /// Pause between two requests, as of a client that processes the responses.
    private static let pause = Duration.milliseconds(10)

    let database: ScaleDatabase

    /// Sends requests while `work` runs.
    ///
    /// - Returns: The durations of `GET` and of `PUT`.
    func waits(beside work: () async throws -> Void) async throws -> [ConcurrentClient.Waits] {
        let run = UUID().uuidString
        let reading = ConcurrentClient.Waits.task("GET", every: Self.pause) { _ in _ = try await database.ask(.GET, "d0", as: "one") }
        let writing = ConcurrentClient.Waits.task("PUT", every: Self.pause) { number in
            _ = try await database.ask(.PUT, "bystander-\(run)-\(number)", #"{"channels":["bystanders"]}"#, as: "all")
        }
        let result: Result<Void, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        reading.cancel()
        writing.cancel()
        let waits = [try await reading.value, try await writing.value]
        try result.get()
        return waits
    }
}
