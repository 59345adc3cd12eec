import AsyncHTTPClient
import Documents
import HTTP
import NIOCore
import NIOHTTP1

/// A continuous feed of a client that stays.
enum LiveFeed {
    case lines(LiveLines)
    case modern(ModernPull, any WebSocketConnection)
}

/// The lines of a continuous feed over HTTP, read beside everything else.
private enum FeedLines {
    static func reading(
        _ url: String, _ login: [(name: String, value: String)], into rows: AsyncStream<JSONValue>.Continuation
    ) -> Task<Void, Never> {
        Task.detached { await read(url, login, into: rows) }
    }

    private static func read(
        _ url: String, _ login: [(name: String, value: String)], into rows: AsyncStream<JSONValue>.Continuation
    ) async {
        defer { rows.finish() }
        var request = HTTPClientRequest(url: url)
        for (name, value) in login { request.headers.add(name: name, value: value) }
        guard let response = try? await HTTPClient.shared.execute(request, deadline: .distantFuture), response.status == .ok else { return }
        var rest: [UInt8] = []
        var chunks = response.body.makeAsyncIterator()
        while let chunk = try? await chunks.next() {
            rest += Array(buffer: chunk)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let row = try? JSONValue(rest[..<end]) { rows.yield(row) }
                rest = Array(rest[(end + 1)...])
            }
        }
    }
}

/// A continuous feed over HTTP: its rows, as they come.
final class LiveLines {
    private let reading: Task<Void, Never>
    private var rows: AsyncStream<JSONValue>.Iterator

    init(_ url: String, login: [(name: String, value: String)]) {
        let pair = AsyncStream.makeStream(of: JSONValue.self)
        rows = pair.stream.makeAsyncIterator()
        reading = FeedLines.reading(url, login, into: pair.continuation)
    }

    deinit { reading.cancel() }

    /// The rows before this revision of the marker.
    ///
    /// - Returns: whether the marker came before the feed's end.
    func listen(until marker: String, _ take: (JSONValue) async throws -> Void) async throws -> Bool {
        let end = closing(after: .seconds(5))
        defer { end.cancel() }
        while let row = await rows.next(isolation: nil) {
            if row["id"]?.string == Player.marker, row["changes"]?.array?.first?["rev"]?.string == marker { return true }
            try await take(row)
        }
        return false
    }

    /// The rows up to the one with this sequence, and what comes within a moment of it; all that come within a second, if it does not come.
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
