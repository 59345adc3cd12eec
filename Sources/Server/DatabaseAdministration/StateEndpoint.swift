import Documents
import HTTPTypes
import HummingbirdCore
import ReplicationService

/// `_online`, `_offline` and `_flush`.
enum StateEndpoint {
    /// The longest `delay` that is taken, in seconds.
    private static let maximumDelay = 86_400

    /// With `{"delay":N}` after that many seconds, if nothing else is said until then.
    static func goOnline(_ call: DatabaseCall) async throws -> Response {
        let running = try call.running()
        guard !running.resync.isRunning else {
            throw AdminError(.serviceUnavailable, "Database _resync is in progress, this may take some time, try again later")
        }
        let delay = try await call.optionalJSON()?["delay"]?.int ?? 0
        guard (0...maximumDelay).contains(delay) else { throw AdminError(.badRequest, "\"delay\" is from 0 to \(maximumDelay) seconds") }
        guard delay > 0 else {
            running.goOnline()
            return Response(status: .ok)
        }
        let (databases, name, words) = (call.databases, call.name, running.words)
        Task {
            // The administrator asks for the time itself.
            try await Task.sleep(for: .seconds(delay))
            // One that was configured anew meanwhile has not been told anything yet.
            guard let now = databases[name] else { return }
            now.goOnline(after: now === running ? words : 0)
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
