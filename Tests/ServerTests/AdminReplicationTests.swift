import Documents
import Testing

@testable import ReplicationService
@testable import Server

@Suite("Replications in Sync Gateway's JSON")
struct AdminReplicationTests {
    private func description(_ json: String) throws -> AdminReplication {
        var description = AdminReplication(id: "r")
        try description.merge(try JSONValue(Array(json.utf8)))
        return description
    }

    private func text(_ members: [JSONMember]) -> String {
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("No password is shown, and all are stored")
    func redaction() throws {
        let description = try description(
            #"{"remote":"wss://u:s3cret@h/shop","remote_password":"s3cret","password":"s3cret","direction":"pull","unknown":1}"#)
        #expect(!text(description.json).contains("s3cret") && text(description.json).contains("u:xxxxx@h"))
        #expect(text(description.storedMembers).contains("s3cret") && !text(description.storedMembers).contains("unknown"))
        let kept = StoredReplication.read(
            StoredReplication.body(of: [StoredReplication(description: description, isWanted: false, resets: true)]))
        #expect(kept.first?.description == description && kept.first?.isWanted == false && kept.first?.resets == true)
    }

    @Test("A change keeps members that it does not name")
    func merge() throws {
        var changed = try description(#"{"remote":"wss://h/shop","direction":"pull","continuous":true}"#)
        try changed.merge(.object([JSONMember("direction", .string("push")), JSONMember("continuous", .null)]))
        #expect(changed["direction"] == .string("push") && changed["continuous"] == .bool(true))
    }

    @Test("Counts of documents follow Sync Gateway's rules")
    func tally() {
        var tally = ReplicationTally()
        func outcome(_ isPush: Bool, _ status: Int? = nil, removed: Bool = false) -> ReplicationOutcome {
            ReplicationOutcome(
                id: "d", collection: "_default._default", isPush: isPush, isAccessRemoved: removed,
                failure: status.map { ReplicationFailure(.refused, status: $0, "no") })
        }
        for outcome in [
            outcome(false), outcome(false), outcome(false, removed: true), outcome(false, 403), outcome(true), outcome(true, 403),
            outcome(true, 409), outcome(true, 500),
        ] { tally.add(outcome) }
        var state = ReplicationState()
        state.activity = .idle
        let json = text(
            ReplicationOutput.members(
                id: "r", state: state, interruptions: ReplicationInterruptions(), tally: tally,
                position: ReplicationPosition(pushed: "7", pulled: "34")))
        #expect(
            json == #"{"docs_read":2,"docs_purged":1,"rejected_by_local":1,"last_seq_pull":"34","docs_written":1,"doc_write_failures":1,"#
                + #""doc_write_conflict":1,"rejected_by_remote":1,"last_seq_push":"7","replication_id":"r","status":"running"}"#)
    }

    @Test("States have Sync Gateway's names")
    func states() {
        var state = ReplicationState()
        #expect(ReplicationOutput.status(state) == "stopped")
        state.failure = ReplicationFailure(.refused, "no")
        #expect(ReplicationOutput.status(state) == "error")
        for (activity, word) in [
            (ReplicationState.Activity.connecting, "starting"), (.offline, "reconnecting"), (.busy, "running"), (.idle, "running"),
        ] {
            state.activity = activity
            #expect(ReplicationOutput.status(state) == word)
        }
    }

    @Test(
        "Until a replication has caught up, it reconnects with its error and the time; later the error is the last one, with its own time")
    func errors() {
        var (state, interruptions) = (ReplicationState(), ReplicationInterruptions())
        func output() -> [String: String] {
            let members = ReplicationOutput.members(
                id: "r", state: state, interruptions: interruptions, tally: ReplicationTally(), position: ReplicationPosition())
            return Dictionary(members.map { ($0.key, $0.value.string ?? "") }) { first, _ in first }
        }
        func enter(_ activity: ReplicationState.Activity, _ error: String? = nil, at time: Int64) {
            state.activity = activity
            if let error { state.failure = ReplicationFailure(.unreachable, error) }
            _ = interruptions.record(state, time: time * 1_000)
        }
        let down = ["replication_id": "r", "status": "reconnecting", "error_message": "down", "error_time": "1970-01-01T00:00:07Z"]
        enter(.offline, "down", at: 7)
        #expect(output() == down)
        for activity in [ReplicationState.Activity.connecting, .busy, .offline] {
            enter(activity, at: 9)
            #expect(output() == down)
        }
        enter(.idle, at: 10)
        let over = [
            "replication_id": "r", "status": "running", "last_error_message": "down", "last_error_time": "1970-01-01T00:00:07Z",
        ]
        #expect(output() == over)
        enter(.busy, at: 11)
        #expect(output() == over)
        enter(.offline, at: 12)
        #expect(output()["error_time"] == "1970-01-01T00:00:12Z")
        enter(.stopped, "gone", at: 13)
        #expect(output()["status"] == "error" && output()["error_message"] == "gone" && output()["last_error_message"] == nil)
    }
}
