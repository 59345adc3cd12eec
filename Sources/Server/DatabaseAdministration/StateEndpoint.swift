import Coordination
import Documents
import HTTPTypes
import HummingbirdCore
import ReplicationService

/// `_online`, `_offline` and `_flush`.
enum StateEndpoint {
    /// The longest accepted `delay`, in seconds.
    private static let maximumDelay = 86_400

    /// Takes the database online. With `{"delay":N}`, does so after that many seconds unless another request supersedes it.
    static func goOnline(_ call: DatabaseCall) async throws -> Response {
        let running = try call.running()
        guard !running.resync.isRunning else {
            throw AdminError(.serviceUnavailable, "Database _resync is in progress, this may take some time, try again later")
        }
        let delay = try await call.optionalJSON()?["delay"]?.int ?? 0
        guard (0...maximumDelay).contains(delay) else {
            throw AdminError(.badRequest, "\"delay\" has to be from 0 to \(maximumDelay) seconds")
        }
        guard delay > 0 else {
            running.goOnline()
            return Response(status: .ok)
        }
        let (databases, name, requests) = (call.databases, call.name, running.stateRequests)
        Task {
            // The administrator has requested this delay.
            try await suspend(for: .seconds(delay))
            // A database reconfigured meanwhile starts with a count of 0.
            guard let now = databases[name] else { return }
            now.goOnline(after: now === running ? requests : 0)
        }
        return Response(status: .ok)
    }

    static func goOffline(_ call: DatabaseCall) throws -> Response {
        try call.running().goOffline()
        return Response(status: .ok)
    }

    static func flush(_ call: DatabaseCall) async throws -> Response {
        try await call.databases.flush(call.name)
        return Response(status: .ok)
    }
}
