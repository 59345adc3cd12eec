import Coordination
import HummingbirdCore
import ReplicationService

/// A use of a database. The store stays open until every lease is gone.
final class DatabaseLease: Sendable {
    let running: RunningDatabase

    /// Only the registry creates leases, while it holds its lock, so that the database cannot be removed meanwhile.
    init(_ running: RunningDatabase) {
        self.running = running
        running.uses.enter()
    }

    deinit { running.uses.leave() }

    /// A response that keeps the lease until its body is written or dropped.
    func hold(_ response: Response) -> Response {
        let body = response.body
        let held = ResponseBody(contentLength: body.contentLength) { [self] writer in
            try await body.write(writer)
            withExtendedLifetime(self) {}
        }
        return Response(status: response.status, headers: response.headers, body: held)
    }
}
