import Foundation
import NIOHTTP1

/// A reader and a writer of the larger database, whose waits are measured while an operation runs in it.
struct Bystander: Sendable {
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
