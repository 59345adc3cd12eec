import Coordination
import Documents
import HTTP
import HTTPTypes

/// A client's continuous feed.
enum LiveFeed {
    case lines(LiveLines)
    case modern(ModernPull, any WebSocketConnection)
}

/// Splits the bytes of a continuous feed into lines.
private final class FeedLines: Sendable {
    private let rest = Lock<[UInt8]>([])
    private let rows: AsyncStream<JSONValue>.Continuation

    init(into rows: AsyncStream<JSONValue>.Continuation) {
        self.rows = rows
    }

    func receive(_ bytes: [UInt8]) {
        rest.withLock { rest in
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let row = try? JSONValue(rest[..<end]) { rows.yield(row) }
                rest = Array(rest[(end + 1)...])
            }
        }
    }
}

/// The rows of a continuous 1.x feed, as they arrive.
final class LiveLines {
    private let reading: Task<Void, Never>
    private var rows: AsyncStream<JSONValue>.Iterator
    private let silence: Duration

    init(_ path: String, of server: any Server, login: HTTPFields) {
        let pair = AsyncStream.makeStream(of: JSONValue.self)
        rows = pair.stream.makeAsyncIterator()
        silence = server.kind.longestSilence
        let lines = FeedLines(into: pair.continuation)
        // Reads concurrently with the other requests.
        reading = Task.detached {
            try? await server.follow(ServerRequest(path: path, headers: login)) { lines.receive($0) }
            pair.continuation.finish()
        }
    }

    deinit { reading.cancel() }

    /// The rows before this revision of the marker.
    ///
    /// - Returns: whether the marker came before the feed's end.
    func listen(until marker: String, _ receive: (JSONValue) async throws -> Void) async throws -> Bool {
        let end = closing(after: silence)
        defer { end.cancel() }
        while let row = await rows.next(isolation: nil) {
            if row["id"]?.string == Player.marker, row["changes"]?.array?.first?["rev"]?.string == marker { return true }
            try await receive(row)
        }
        return false
    }

    /// The rows up to the row with this sequence, and later rows within a moment of it; without that row, all rows within a second.
    func rows(upTo last: String) async -> [JSONValue] {
        var found: [JSONValue] = []
        var end = closing(after: .seconds(1))
        defer { end.cancel() }
        while let row = await rows.next(isolation: nil) {
            found.append(row)
            guard row["seq"].flatMap(Player.text) == last else { continue }
            end.cancel()
            end = closing(after: .milliseconds(10))
        }
        return found
    }

    private func closing(after time: Duration) -> Task<Void, any Error> {
        Task { [reading] in
            try await Task.sleep(for: time)
            reading.cancel()
        }
    }

    func close() { reading.cancel() }
}
