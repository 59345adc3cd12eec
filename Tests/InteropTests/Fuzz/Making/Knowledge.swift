import Documents

/// The names that a client can use: the initial ones, and those of the bridge's replies.
struct Knowledge: Sendable {
    enum Kind: Hashable, Sendable {
        case id, revision, sequence, digest, session, channel, user, role, collection, attachment, replication, checkpoint, version, remote
    }

    private var values: [Kind: [String]] = [
        .id: ["d1", "d2", "d3", "order1", "order2", "hidden1", "hidden2", "new1", "new2", "a/b", "é", "_design/app"],
        .revision: ["1-a", "1-aa", "2-b", "3-c", "1-ca9ad22802b66f662ff171f226211d5c"],
        .sequence: ["0", "1", "1000000001", "1000000005"], .digest: ["sha1-i6R/6WcRpBf4G+Lu2iufXW3FjNc="], .session: ["abc"],
        .channel: ["a", "b", "!", "*", "secret"], .user: ["anna", "bert", "ghost"], .role: ["staff", "ghosts"],
        .collection: ["sales.orders", "_default._default", "_default"], .attachment: ["photo", "t.txt", "a/b"], .replication: ["r1", "r2"],
        .checkpoint: ["cp1", "cp2"],
        .version: ["18e9f0cc68800001@BOA02SKaSYC0d/vOEWw0Ew", "18e9f0cc328d0000@mKxrSwhrWi9HZ3sV54bZug"],
        .remote: ["http://127.0.0.1:1/x", "ws://127.0.0.1:1/x"],
    ]

    /// The maximal number of names of a kind.
    private static let limit = 40

    /// Members of replies that have names, by their keys.
    private static let kinds: [String: Kind] = [
        "id": .id, "_id": .id, "rev": .revision, "_rev": .revision, "current_rev": .revision, "seq": .sequence, "last_seq": .sequence,
        "update_seq": .sequence, "session_id": .session, "one_time_session_id": .session, "digest": .digest,
    ]

    func known(_ kind: Kind) -> [String] { values[kind] ?? [] }

    mutating func learn(_ kind: Kind, _ value: String) {
        guard values[kind]?.contains(value) != true else { return }
        values[kind, default: []].append(value)
        if let count = values[kind]?.count, count > Self.limit { values[kind]?.removeFirst(count - Self.limit) }
    }

    /// Adds the names of a reply.
    mutating func learn(from body: [UInt8]) {
        // Long replies have no further names.
        guard body.count < 20_000, let json = try? JSONValue(body) else { return }
        learn(from: json)
    }

    private mutating func learn(from json: JSONValue) {
        for element in json.array ?? [] { learn(from: element) }
        for member in json.members ?? [] {
            if let kind = Self.kinds[member.key], let value = member.value.string ?? member.value.int.map(String.init), !value.isEmpty {
                learn(kind, value)
            } else {
                learn(from: member.value)
            }
        }
    }
}
