import Gateway
import HummingbirdCore
import LegacyProtocol
import Synchronization

/// The feeds that are open, by who reads them.
final class OpenFeeds: Sendable {
    private struct State {
        var limit: Int
        var counts: [ClientIdentity: Int] = [:]
    }

    private let state: Mutex<State>

    init(limit: Int) {
        state = Mutex(State(limit: limit))
    }

    func change(limit: Int) {
        state.withLock { $0.limit = limit }
    }

    /// Counts one more, which is open as long as what is returned is kept.
    ///
    /// - Parameter visit: notes that the client uses the database; kept with what is returned.
    /// - Throws: ``LegacyError`` with code `tooManyRequests` if the client has as many as it may have.
    func open(for client: ClientIdentity, visit: OpenVisit?) throws(LegacyError) -> OpenFeed {
        let (isAllowed, limit) = state.withLock { state in
            let count = state.counts[client, default: 0]
            guard count < state.limit else { return (false, state.limit) }
            state.counts[client] = count + 1
            return (true, state.limit)
        }
        guard isAllowed else {
            throw LegacyError(.tooManyRequests, "\(limit) feeds are open already; close one, or ask the operator for more")
        }
        return OpenFeed(feeds: self, client: client, visit: visit)
    }

    fileprivate func close(_ client: ClientIdentity) {
        state.withLock { state in
            let count = state.counts[client, default: 0] - 1
            state.counts[client] = count > 0 ? count : nil
        }
    }
}

/// One open feed. It is closed when nobody keeps this any longer.
final class OpenFeed: Sendable {
    private let feeds: OpenFeeds
    private let client: ClientIdentity
    private let visit: OpenVisit?

    fileprivate init(feeds: OpenFeeds, client: ClientIdentity, visit: OpenVisit?) {
        self.feeds = feeds
        self.client = client
        self.visit = visit
    }

    deinit { feeds.close(client) }

    /// The answer, which keeps the feed open until it has been written, or been dropped.
    func kept(with response: Response) -> Response {
        let body = response.body
        let kept = ResponseBody(contentLength: body.contentLength) { [self] writer in
            try await body.write(writer)
            withExtendedLifetime(self) {}
        }
        return Response(status: response.status, headers: response.headers, body: kept)
    }
}
