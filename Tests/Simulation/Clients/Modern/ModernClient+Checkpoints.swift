import BLIP
import Documents

extension ModernClient {
    private func id(of keyspace: String) -> String { keyspace == Subject.collections[0] ? "cp-\(identity)-" : "cp-\(identity)-\(keyspace)" }

    /// The position to go on from: the common checkpoint of server and client, each half separately.
    ///
    /// - Returns: The checkpoints' revisions on the server.
    func loadCheckpoints(_ conversation: Conversation) async throws -> [String: String] {
        let (found, revisions) = namesCollections ? try await getCollections(conversation) : try await getCheckpoint(conversation)
        distrusted = []
        for keyspace in keyspaces {
            var checkpoint = checkpoints[keyspace] ?? ClientCheckpoint()
            if found[keyspace]?["local"]?.int ?? 0 != checkpoint.local {
                checkpoint.local = 0
                distrusted.insert(keyspace)
            }
            if found[keyspace]?["remote"].map(\.text) != checkpoint.remote { checkpoint.remote = nil }
            reached[keyspace] = checkpoint
        }
        return revisions
    }

    private func getCollections(_ conversation: Conversation) async throws -> ([String: JSONValue], [String: String]) {
        let names = keyspaces.map { "\"\($0)\"" }.joined(separator: ",")
        let ids = keyspaces.map { "\"\(id(of: $0))\"" }.joined(separator: ",")
        var properties = BLIPProperties()
        if let uuid = database.uuid { properties.add("uuid", uuid) }
        let body = Array("{\"checkpoint_ids\":[\(ids)],\"collections\":[\(names)]}".utf8)
        let reply = try await conversation.ask(.request("getCollections", properties: properties, body: body))
        guard reply.type == .reply, let answers = try JSONValue(reply.body).array, answers.count == keyspaces.count else {
            throw UnexpectedMessage("getCollections: \(reply.errorMessage ?? "malformed")")
        }
        var found: [String: JSONValue] = [:]
        var revisions: [String: String] = [:]
        for (keyspace, answer) in zip(keyspaces, answers) {
            found[keyspace] = answer
            revisions[keyspace] = answer["rev"]?.string
        }
        return (found, revisions)
    }

    private func getCheckpoint(_ conversation: Conversation) async throws -> ([String: JSONValue], [String: String]) {
        let reply = try await conversation.ask(.request("getCheckpoint", properties: ["client": id(of: "")]))
        guard reply.type == .reply else {
            guard reply.errorCode == 404 else { throw UnexpectedMessage("getCheckpoint: \(reply.errorMessage ?? "")") }
            return ([:], [:])
        }
        return (["": try JSONValue(reply.body)], reply.properties["rev"].map { ["": $0] } ?? [:])
    }

    /// Saves the checkpoint at the server. The local copy counts only after that.
    func saveCheckpoint(of keyspace: String, _ saved: inout [String: String], _ conversation: Conversation) async throws {
        let new = reached[keyspace] ?? ClientCheckpoint()
        var properties = properties(keyspace)
        properties.add("client", id(of: keyspace))
        if let revision = saved[keyspace] { properties.add("rev", revision) }
        let remote = new.remote.map { ",\"remote\":\($0)" } ?? ""
        let reply = try await conversation.ask(
            .request("setCheckpoint", properties: properties, body: Array("{\"local\":\(new.local)\(remote)}".utf8)))
        guard reply.type == .reply else { throw UnexpectedMessage("setCheckpoint: \(reply.errorMessage ?? "")") }
        conversation.line.traffic.checkpoints += 1
        saved[keyspace] = reply.properties["rev"]
        checkpoints[keyspace] = new
    }
}
