import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Peers

/// The cost of one operation, on average.
struct ScaleCost: Sendable {
    /// Processor time, in microseconds.
    let processor: Double

    /// Steps of SQLite, of reads and commits (`dualgauge_store_steps_total`).
    let steps: Double

    /// How large the answer was.
    let answer: Double

    /// How many reads have held a connection of the store for more than 50 ms, in all repetitions (`dualgauge_read_seconds`).
    let longReads: Int
}

/// Runs operations, and reads the processor time and the steps of the bridge's process before and after.
struct ScaleMeter {
    /// Clock ticks are ten milliseconds: an operation is repeated until it has taken many of them.
    private static let enough = 0.4
    private static let repetitions = 400

    let server: ServedProcess

    /// The program whose commands are measured.
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
        // The first run reads what the bridge keeps from one request to the next.
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

    /// A command runs in a process of its own, whose steps nobody counts. Its answer is as large as its database.
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
            guard !own.isEmpty else { throw PeerError("/metrics does not tell \(name) of \(database.name)") }
            return own.reduce(0) { $0 + (Double($1.split(separator: " ").last ?? "") ?? 0) }
        }
        let short = try sum("dualgauge_read_seconds_bucket", #",le="0.05""#)
        return (try sum("dualgauge_store_steps_total"), try sum("dualgauge_read_seconds_count") - short)
    }
}

/// A reader and a writer of the larger database, whose waits are measured while an operation runs in it.
struct ConcurrentScaleClient: Sendable {
    /// Between two requests, as of a client that does something with what it gets.
    private static let pause = Duration.milliseconds(10)

    let database: ScaleDatabase

    /// Sends requests as long as `work` lasts.
    ///
    /// - Returns: the waits of `GET` and of `PUT`.
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
