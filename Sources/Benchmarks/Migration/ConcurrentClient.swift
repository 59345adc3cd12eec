import AsyncHTTPClient
import Coordination
import Documents
import Foundation
import NIOCore
import NIOHTTP1
import Peers

/// A client that reads, writes and follows changes, each with one request at a time, and records the duration of each request.
struct ConcurrentClient: Sendable {
    /// Durations of one kind of request, in milliseconds.
    struct Waits: Sendable {
        let name: String
        let count: Int

        /// The 99th percentile.
        let most: Double
        let longest: Double

        init(_ name: String, _ waits: [Duration]) {
            let sorted = waits.sorted()
            self.name = name
            count = sorted.count
            most = sorted.isEmpty ? 0 : sorted[sorted.count * 99 / 100] / .milliseconds(1)
            longest = (sorted.last ?? .zero) / .milliseconds(1)
        }

        /// Sends requests of one kind until it is cancelled, and records their durations.
        static func task(
            _ name: String, every pause: Duration, _ request: @escaping @Sendable (_ number: Int) async throws -> Void
        ) -> Task<Waits, any Error> {
            Task {
                var waits: [Duration] = []
                while !Task.isCancelled {
                    // A separate task, so that cancellation does not interrupt a running request.
                    let number = waits.count
                    waits.append(try await Task { try await ContinuousClock().measure { try await request(number) } }.value)
                    // The interval of the load, independent of response times.
                    try? await suspend(for: pause)
                }
                return Waits(name, waits)
            }
        }
    }

    /// Pause between two requests, as of a client that processes the responses.
    private static let pause = Duration.milliseconds(5)

    /// The database's URL.
    let database: String

    /// Sends requests while `work` runs.
    func requests(during work: () async throws -> Void) async throws -> [Waits] {
        let run = UUID().uuidString
        let reading = task("_all_docs") { _ in
            try await send(.GET, "_all_docs?limit=20&include_docs=true&startkey=%22\(UInt8.random(in: 0...255))%22")
        }
        let writing = task("PUT") { try await send(.PUT, "new-\(run)-\($0)", #"{"type":"order","n":\#($0)}"#) }
        let bulk = task("_bulk_docs") { number in
            let documents = (0..<20).map { #"{"_id":"bulk-\#(run)-\#(number)-\#($0)","type":"order"}"# }.joined(separator: ",")
            try await send(.POST, "_bulk_docs", "{\"docs\":[\(documents)]}")
        }
        let place = Lock(try JSONValue(try await send(.GET, ""))["update_seq"]?.int.map { "\($0)" } ?? "0")
        let following = task("_changes") { _ in
            let answer = try await send(.GET, "_changes?limit=50&since=\(place.withLock { $0 })")
            // Sequences after a migration have two parts and are strings.
            let last = try JSONValue(answer)["last_seq"]
            guard let last = last?.string ?? last?.int.map({ "\($0)" }) else { throw PeerError("_changes has no last_seq") }
            place.withLock { $0 = last }
        }
        let tasks = [reading, writing, bulk, following]
        do {
            try await work()
        } catch {
            for task in tasks { task.cancel() }
            throw error
        }
        for task in tasks { task.cancel() }
        var waits: [Waits] = []
        for task in tasks { waits.append(try await task.value) }
        return waits
    }

    private func task(_ name: String, _ request: @escaping @Sendable (Int) async throws -> Void) -> Task<Waits, any Error> {
        Waits.task(name, every: Self.pause, request)
    }

    @discardableResult
    private func send(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: "\(database)/\(path)")
        request.method = method
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        guard (200..<300).contains(Int(response.status.code)) else { throw PeerError("\(request.url): \(response.status)") }
        var answer: [UInt8] = []
        for try await part in response.body { answer += part.readableBytesView }
        return answer
    }
}
