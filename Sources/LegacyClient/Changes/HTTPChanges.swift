import Documents
import NIOCore
import NIOHTTP1

/// One response of `_changes`, read row by row as it arrives.
struct HTTPChanges {
    private var iterator: CountedBody.AsyncIterator
    private var splitter: RowSplitter
    private let url: String

    /// Sends the request, by POST if the server accepts that: the length of a URL then does not limit the filter's parameters.
    static func open(_ request: ChangesRequest, on remote: RemoteDatabase) async throws -> HTTPChanges {
        var isRefused = false
        // Requests of waiting feeds are not retried here: the feed has its own back-off.
        if !remote.features.refusesPostedChanges {
            do {
                var posted = RemoteRequest(
                    request.path(isPosted: true, namesParameters: !remote.features.isSyncGateway), method: .POST, json: request.json())
                posted.isRetried = request.feed == .normal
                posted.isCompressible = false
                return HTTPChanges(try await remote.send(posted), request.feed, rowSize: remote.limits.rowSize)
            } catch let error as ReplicationError where error.code == .methodNotAllowed || isCloudantQuirk(error, remote) {
                isRefused = true
            }
        }
        var asked = RemoteRequest(request.path(isPosted: false, namesParameters: true))
        asked.isRetried = request.feed == .normal
        let answer = try await remote.send(asked)
        // Record the refusal only after the GET succeeds: an intermediary that answers for the server refuses every request.
        if isRefused { remote.record { $0.refusesPostedChanges = true } }
        return HTTPChanges(answer, request.feed, rowSize: remote.limits.rowSize)
    }

    /// Cloudant refuses a POST by a reader with 403.
    private static func isCloudantQuirk(_ error: ReplicationError, _ remote: RemoteDatabase) -> Bool {
        error.code == .forbidden && remote.features.isCouchDB
    }

    private init(_ response: RemoteResponse, _ feed: ChangesRequest.Feed, rowSize: Int) {
        iterator = response.body.makeAsyncIterator()
        splitter = RowSplitter(feed == .continuous ? .lines : .results, rowSize: rowSize)
        url = response.url
    }

    /// The next rows; `nil` at the end of the response.
    mutating func next() async throws -> [RemoteRow]? {
        do {
            while let buffer = try await iterator.next() {
                let rows = try splitter.consume(Array(buffer.readableBytesView)[...])
                let changes = try rows.compactMap { try RemoteRow($0) }
                if !changes.isEmpty { return changes }
            }
            try splitter.finish()
            return nil
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as ReplicationError {
            throw error
        } catch {
            throw error is JSONError ? ReplicationError(local: error) : ReplicationError(exchange: error, with: url)
        }
    }
}
