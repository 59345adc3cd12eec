import Documents

/// The half of a checkpoint that is kept here.
///
/// It is written before the server's half, and remembers the place before: where only one of the two writes came about, the replication
/// goes on at that place and not at the start.
struct LocalCheckpoint: Hashable, Sendable {
    var lastSequence: String

    /// What the server's half may say as long as it is not known to say the same; ``lastSequence`` itself when it is.
    var previous: String?

    /// The number of the server's half's revision when it says the same as this one.
    var revision: Int64?

    /// Which database the server has, where it says so; see ``RemoteIdentity``.
    var server: String?

    /// For a push to the legacy upstream: how often that was found restored before.
    var restorations: Int64?

    /// Whether the server was found to lack what it had behind this place, so that this is replicated once more.
    var isDisputed = false

    init(lastSequence: String, previous: String? = nil) {
        self.lastSequence = lastSequence
        self.previous = previous
    }

    /// A place that the server's half says, too.
    init(agreed place: String) {
        self.init(lastSequence: place, previous: place)
    }

    /// Reads what `json` wrote; `nil` if it is nothing of the kind.
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

    /// Where a replication goes on whose server has this half; `nil` for the start.
    ///
    /// Couchbase Lite 1.4 goes on where both halves are equal, and begins anew otherwise. So do we where their order cannot be told; of two
    /// numbers the lower is right: one side was restored from a backup, or lies.
    func reconciled(with remote: String?) -> String? {
        guard let remote else { return nil }
        if remote == lastSequence || remote == previous { return remote }
        guard let ours = Self.number(lastSequence), let theirs = Self.number(remote) else { return nil }
        return String(min(ours, theirs))
    }

    /// Where a replication goes on whose server has this half: no further than up to where the server was seen to have kept everything. What it had
    /// behind that place it may have lost since, with nothing else to tell so.
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
