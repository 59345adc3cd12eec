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
    static func reading(_ url: String, _ authorization: String?, into rows: AsyncStream<JSONValue>.Continuation) -> Task<Void, Never> {
        Task.detached { await read(url, authorization, into: rows) }
    }

    private static func read(_ url: String, _ authorization: String?, into rows: AsyncStream<JSONValue>.Continuation) async {
        defer { rows.finish() }
        var request = HTTPClientRequest(url: url)
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
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

    init(_ url: String, authorization: String?) {
        let pair = AsyncStream.makeStream(of: JSONValue.self)
        rows = pair.stream.makeAsyncIterator()
        reading = FeedLines.reading(url, authorization, into: pair.continuation)
    }

    deinit { reading.cancel() }

    /// The rows before this revision of the marker.
    ///
    /// - Returns: whether the marker came before the feed's end.
    func listen(until marker: String, _ take: (JSONValue) async throws -> Void) async throws -> Bool {
        let end = Task { [reading] in
            try await Task.sleep(for: .seconds(5))
            reading.cancel()
        }
        defer { end.cancel() }
        while let row = await rows.next(isolation: nil) {
            if row["id"]?.string == Player.marker, row["changes"]?.array?.first?["rev"]?.string == marker { return true }
            try await take(row)
        }
        return false
    }

    func close() { reading.cancel() }
}
