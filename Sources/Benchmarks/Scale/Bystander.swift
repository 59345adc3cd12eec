import Foundation
import NIOHTTP1

/// A reader and a writer of another database of the same bridge, who take down how long they wait beside what is measured.
struct Bystander: Sendable {
    /// Between two requests, as of a client that does something with what it gets.
    private static let pause = Duration.milliseconds(10)

    let database: ScaleDatabase

    /// Sends requests as long as `work` lasts.
    ///
    /// - Returns: the waits of `GET` and of `PUT`.
    func waits(beside work: () async throws -> Void) async throws -> [ConcurrentClient.Waits] {
        let run = UUID().uuidString
        let reading = repeated("GET") { _ in try await database.ask(.GET, "d0", as: "one") }
        let writing = repeated("PUT") { try await database.ask(.PUT, "bystander-\(run)-\($0)", #"{"channels":["bystanders"]}"#, as: "all") }
        let result: Result<Void, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        reading.cancel()
        writing.cancel()
        let waits = [try await reading.value, try await writing.value]
        try result.get()
        return waits
    }

    private func repeated(
        _ name: String, _ request: @escaping @Sendable (Int) async throws -> Int
    ) -> Task<ConcurrentClient.Waits, any Error> {
        Task {
            var waits: [Duration] = []
            while !Task.isCancelled {
                let number = waits.count
                // A request that has begun is measured to its end.
                waits.append(try await Task { try await ContinuousClock().measure { _ = try await request(number) } }.value)
                // The pace of the load: a request every so often, whatever the bridge does.
                try? await Task.sleep(for: Self.pause)
            }
            return ConcurrentClient.Waits(name, waits)
        }
    }
}
