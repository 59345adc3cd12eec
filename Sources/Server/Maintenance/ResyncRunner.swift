import BridgeConfiguration
import Coordination
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import ReplicationService

/// Runs a database's resync in the background.
final class ResyncRunner: Sendable {
    /// The number of documents in one transaction.
    private static let batch = 500

    private let database: Database
    private let logger: Logger
    private let task = BackgroundTask()

    init(_ database: Database, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    var isRunning: Bool { task.isRunning }

    /// Starts or resumes a run, if none is in progress here.
    func start(_ run: ResyncRun) {
        task.start { [self] in await carryOut(run) }
    }

    /// Resumes the unfinished run of the last process.
    func resume() async throws {
        guard let run = try await database.resyncRun(), run.state == .running else { return }
        logger.notice("a resync continues where it stopped", metadata: ["documents": "\(run.processed)"])
        start(run)
    }

    /// Waits for the run in progress here.
    func finished() async {
        await task.finished()
    }

    /// Cancels the work here. The journal has the run as unfinished; the next process or configuration resumes it.
    func stop() async {
        await task.stop()
    }

    private func carryOut(_ start: ResyncRun) async {
        var run = start
        do {
            while run.state == .running {
                try Task.checkCancellation()
                run = try await database.resyncStep(run, limit: Self.batch)
            }
            logger.notice(
                "a resync has ended",
                metadata: ["state": "\(run.state)", "documents": "\(run.processed)", "changed": "\(run.changed)"])
        } catch is CancellationError {
            logger.info("a resync is paused", metadata: ["documents": "\(run.processed)"])
        } catch {
            logger.error("a resync has failed; POST _resync continues it", metadata: ["error": "\(error)"])
            try? await database.stopResync(because: error)
        }
    }
}

/// `_resync`: runs changed sync functions on the stored documents.
enum ResyncEndpoint {
    static func describe(_ call: DatabaseCall) async throws -> Response {
        SessionAnswer.answer(.object(members(try await call.running().database.resyncRun())))
    }

    /// Starts or stops a run. In the form of 3.x, with `action` or a body, it replies at once. In the form of 2.x, it replies at the end of
    /// the run, with the number of changed documents.
    static func run(_ call: DatabaseCall) async throws -> Response {
        let action = try call.action()
        let body = try await call.optionalJSON()
        let running = try call.running()
        try running.requireWork()
        guard action != .stop else { return try await stop(running) }
        guard !running.isOnline else {
            throw AdminError(
                .serviceUnavailable, "Database must be _offline before calling _resync, current state: \(running.state)")
        }
        if !running.resync.isRunning {
            let run = try await running.database.beginResync(
                try collections(body), restarts: (try? call.query.bool("reset")) == true)
            running.resync.start(run)
        }
        guard action == nil, body == nil else {
            return SessionAnswer.answer(.object(members(try await running.database.resyncRun())))
        }
        await running.resync.finished()
        let run = try await running.database.resyncRun()
        return SessionAnswer.answer(.object([JSONMember("changes", .number(String(run?.changed ?? 0)))] + members(run)))
    }

    private static func stop(_ running: RunningDatabase) async throws -> Response {
        guard running.resync.isRunning else { throw AdminError(.badRequest, "Database _resync is not running") }
        try await running.database.stopResync()
        await running.resync.finished()
        return SessionAnswer.answer(.object(members(try await running.database.resyncRun())))
    }

    /// `{"scopes":{"sales":["orders"]}}`; `nil` for all collections.
    private static func collections(_ body: JSONValue?) throws(AdminError) -> [CollectionName]? {
        guard let scopes = body?["scopes"] else { return nil }
        guard let members = scopes.members else { throw AdminError(.badRequest, "Bad JSON: \"scopes\" has to be an object") }
        var names: [CollectionName] = []
        for scope in members {
            for collection in scope.value.array ?? [] {
                guard let name = collection.string.flatMap({ CollectionName("\(scope.key).\($0)") }) else {
                    throw AdminError(.badRequest, "Bad JSON: \"scopes\" has to contain lists of collection names")
                }
                if !names.contains(name) { names.append(name) }
            }
        }
        return names.isEmpty ? nil : names
    }

    private static func members(_ run: ResyncRun?) -> [JSONMember] {
        let names = run?.collections ?? []
        let scopes = Set(names.map(\.scope)).sorted().map { scope in
            JSONMember(scope, .array(names.filter { $0.scope == scope }.map { .string($0.name) }))
        }
        // Sync Gateway's value without a run.
        let started = run.map { Timestamp.rfc3339(milliseconds: $0.started) } ?? "0001-01-01T00:00:00Z"
        return [
            JSONMember("status", .string(run?.state.rawValue ?? ResyncRun.State.completed.rawValue)),
            JSONMember("start_time", .string(started)), JSONMember("last_error", .string(run?.lastError ?? "")),
            JSONMember("resync_id", .string(run?.id ?? "")), JSONMember("docs_changed", .number(String(run?.changed ?? 0))),
            JSONMember("docs_processed", .number(String(run?.processed ?? 0))),
        ] + (run == nil ? [] : [JSONMember("collections_processing", .object(scopes))])
    }
}
