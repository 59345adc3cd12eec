import Documents
import ReplicationService
import Server

/// An event of `replicate --json`, printed as one line.
enum ReplicateEvent {
    case state(ReplicationState)
    case document(ReplicationOutcome)
    case end(pushed: Int, pulled: Int, failed: Int, isInterrupted: Bool, failure: ReplicationFailure?)

    /// - Returns: Whether standard output still has a reader.
    @discardableResult
    func print() -> Bool {
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return StandardStream.output.write(bytes + Array("\n".utf8))
    }

    private var members: [JSONMember] {
        switch self {
        case .state(let state):
            [
                JSONMember("event", .string("status")), JSONMember("activity", .string(state.activity.rawValue)),
                JSONMember("completed", Self.number(state.completed)), JSONMember("total", Self.number(state.total)),
                JSONMember("bytes", Self.number(state.bytes)),
            ] + Self.error(state.failure)
        case .document(let outcome):
            [
                JSONMember("event", .string("document")), JSONMember("direction", .string(outcome.isPush ? "push" : "pull")),
                JSONMember("collection", .string(outcome.collection)), JSONMember("id", .string(outcome.id)),
                JSONMember("deleted", .bool(outcome.isDeleted)), JSONMember("accessRemoved", .bool(outcome.isAccessRemoved)),
            ] + Self.error(outcome.failure)
        case .end(let pushed, let pulled, let failed, let isInterrupted, let failure):
            [
                JSONMember("event", .string("end")), JSONMember("pushed", Self.number(pushed)), JSONMember("pulled", Self.number(pulled)),
                JSONMember("failed", Self.number(failed)), JSONMember("interrupted", .bool(isInterrupted)),
            ] + Self.error(failure)
        }
    }

    private static func number(_ number: Int) -> JSONValue { .number(String(number)) }

    private static func error(_ failure: ReplicationFailure?) -> [JSONMember] {
        guard let failure else { return [] }
        return [JSONMember("error", .string(failure.message))] + (failure.status.map { [JSONMember("status", number($0))] } ?? [])
    }
}
