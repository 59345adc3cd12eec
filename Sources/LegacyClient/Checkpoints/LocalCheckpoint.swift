import Documents

/// The local half of a checkpoint.
///
/// It is written before the server's half and contains the previous position. If only one of the two writes succeeds, the replication continues
/// at that position instead of at the start.
struct LocalCheckpoint: Hashable, Sendable {
    var lastSequence: String

    /// The position that the server's half may still have until it is known to equal ``lastSequence``; afterwards equal to ``lastSequence``.
    var previous: String?

    /// The revision number of the server's half when it has the same position.
    var revision: Int64?

    /// The identity of the server's database, if known; see ``RemoteIdentity``.
    var server: String?

    /// For a push to the legacy upstream: the number of its restorations when this was written.
    var restorations: Int64?

    /// Whether the server lacked revisions after this position, which are therefore replicated once more.
    var isDisputed = false

    init(lastSequence: String, previous: String? = nil) {
        self.lastSequence = lastSequence
        self.previous = previous
    }

    /// A position that the server's half has, too.
    init(agreed place: String) {
        self.init(lastSequence: place, previous: place)
    }

    /// Reads the output of ``json``; `nil` if the text has another form.
    init?(_ json: [UInt8]) {
        guard let value = try? JSONValue(json), let last = value["lastSequence"]?.string else { return nil }
        self.init(lastSequence: last, previous: value["previous"]?.string)
        revision = value["revision"]?.int.map { Int64($0) }
        server = value["server"]?.string
        restorations = value["restorations"]?.int.map { Int64($0) }
        isDisputed = value["disputed"]?.bool ?? false
    }

    var json: [UInt8] {
        var members = [JSONMember("lastSequence", .string(lastSequence))]
        if let previous { members.append(JSONMember("previous", .string(previous))) }
        if let revision { members.append(JSONMember("revision", .number(String(revision)))) }
        if let server { members.append(JSONMember("server", .string(server))) }
        if let restorations { members.append(JSONMember("restorations", .number(String(restorations)))) }
        if isDisputed { members.append(JSONMember("disputed", .bool(true))) }
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return bytes
    }

    /// The position at which a replication continues, given the server's half; `nil` for the start.
    ///
    /// Couchbase Lite 1.4 continues if both halves are equal, and begins at the start otherwise. This method does the same where the order of the
    /// two is unknown. Of two numbers the lower one is right: one side was restored from a backup, or is wrong.
    func reconciled(with remote: String?) -> String? {
        guard let remote else { return nil }
        if remote == lastSequence || remote == previous { return remote }
        guard let ours = Self.number(lastSequence), let theirs = Self.number(remote) else { return nil }
        return String(min(ours, theirs))
    }

    /// The position at which a replication continues, given the server's half, limited to the position up to which the server was confirmed to
    /// have everything. The server may since have lost revisions after that position without any other sign.
    ///
    /// - Returns: `nil` for the start.
    func confirmed(by remote: String?) -> String? {
        guard let previous, let agreed = reconciled(with: remote) else { return nil }
        guard agreed != lastSequence, let number = Self.number(agreed), let confirmed = Self.number(previous) else { return previous }
        return String(min(number, confirmed))
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
    }
}
