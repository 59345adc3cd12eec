import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `_explain/{id}`: everything that the database has about one document, for debugging.
enum ExplanationEndpoint {
    /// The ID is that of the unified keyspace. With `?collection=scope.name`, it is that of the collection.
    static func get(_ call: AdminCall) async throws -> Response {
        let keyspace = try keyspace(call)
        guard let explanation = try await keyspace.explain(call.parameters.first ?? "") else { throw AdminError(.notFound, "missing") }
        return SessionAnswer.answer(.object(ExplanationOutput(explanation).members))
    }

    /// The collection that the query names, or the unified keyspace.
    static func keyspace(_ call: AdminCall) throws(AdminError) -> Keyspace {
        guard let text = call.query["collection"] else { return call.database.unified }
        guard let name = CollectionName(text), let keyspace = call.database.keyspace(name) else {
            throw AdminError(.notFound, "keyspace \(call.database.name).\(text) not found")
        }
        return keyspace
    }
}

/// The JSON of `_explain`.
struct ExplanationOutput {
    private let explanation: DocumentExplanation

    init(_ explanation: DocumentExplanation) {
        self.explanation = explanation
    }

    var members: [JSONMember] {
        [
            JSONMember("collection", .string(explanation.collection.description)), JSONMember("id", .string(explanation.id)),
            JSONMember("legacyID", text(explanation.legacyID)), JSONMember("winner", .string(explanation.winner.text)),
            JSONMember("deleted", .bool(explanation.isDeleted)), JSONMember("modified", time(explanation.modified)),
            JSONMember("expires", explanation.expiry.map(time) ?? .null),
            JSONMember("sequence", explanation.sequence.map { number($0.value) } ?? .null),
            JSONMember("collectionSequence", number(explanation.collectionSequence.value)),
            JSONMember("revisionCount", number(Int64(explanation.revisionCount))),
            JSONMember("revisions", .array(explanation.revisions.map(revision))),
            JSONMember("channels", .array(explanation.channels.map(channel))),
            JSONMember("attachments", .array(explanation.attachments.map(attachment))),
            JSONMember(
                "upstream",
                .object([JSONMember("server", text(explanation.upstream)), JSONMember("hasIt", .bool(explanation.isUpstream))])),
            JSONMember(
                "clients",
                .object([
                    JSONMember("caughtUp", number(Int64(explanation.caughtUp))), JSONMember("unknown", number(Int64(explanation.unknown))),
                    JSONMember("behind", .array(explanation.behind.map(client))),
                ])),
        ]
    }

    private func revision(_ revision: DocumentExplanation.Revision) -> JSONValue {
        .object([
            JSONMember("rev", .string(revision.id.text)), JSONMember("parent", text(revision.parent?.text)),
            JSONMember("winner", .bool(revision.id == explanation.winner)), JSONMember("leaf", .bool(revision.isLeaf)),
            JSONMember("deleted", .bool(revision.isDeleted)), JSONMember("body", .bool(revision.hasBody)),
        ])
    }

    private func channel(_ entry: ChannelEntry) -> JSONValue {
        .object([
            JSONMember("name", .string(entry.channel)), JSONMember("since", number(entry.since.value)),
            JSONMember("leftWith", text(entry.leftWith)),
        ])
    }

    private func attachment(_ attachment: AttachmentMetadata) -> JSONValue {
        .object([
            JSONMember("name", .string(attachment.name)), JSONMember("digest", text(attachment.digest?.description)),
            JSONMember("length", attachment.length.map { number(Int64($0)) } ?? .null),
            JSONMember("contentType", text(attachment.contentType)),
        ])
    }

    private func client(_ checkpointRecord: CheckpointRecord) -> JSONValue {
        .object([
            JSONMember("user", .string(checkpointRecord.user)), JSONMember("generation", number(Int64(checkpointRecord.generation))),
            JSONMember("agent", .string(checkpointRecord.agent)),
            JSONMember("position", checkpointRecord.position.map { number($0.value) } ?? .null),
            JSONMember("lastSeen", time(checkpointRecord.lastSeen)),
        ])
    }

    private func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    private func number(_ number: Int64) -> JSONValue { .number(String(number)) }
    private func time(_ time: Int64) -> JSONValue { .string(Timestamp.rfc3339(milliseconds: time)) }
}
