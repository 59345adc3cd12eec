import ModernProtocol

/// The properties and the body of a message of the 2.x+ protocol.
struct MessageShape: Sendable {
    enum Body: Sendable {
        case none
        case json(JSONShape)
        case bytes
    }

    var properties: KeyValuePairs<String, Term>
    var body: Body

    init(_ properties: KeyValuePairs<String, Term> = [:], _ body: Body = .none) {
        self.properties = properties
        self.body = body
    }

    private static let revision = Term.choice(["1-a", "2-b", "1-aa", "2-bb", "3-cc"])
    private static let history = Term.list(.known(.revision))

    /// The compiler requires a shape for a new profile.
    static func of(_ profile: Profile) -> MessageShape {
        switch profile {
        case .getCollections:
            MessageShape(
                ["uuid": .choice(["04e034d9-229a-4980-b477-fbce116c3413", "x"])],
                .json(.object(["checkpoint_ids": .array(.text(.known(.checkpoint))), "collections": .array(.text(.known(.collection)))])))
        case .getCheckpoint: MessageShape(["client": .known(.checkpoint)])
        case .setCheckpoint:
            MessageShape(
                ["client": .known(.checkpoint), "rev": .choice(["0-1", "0-2", ""])],
                .json(
                    .object([
                        "time": .plain(.number), "local": .plain(.number), "remote": .text(.known(.sequence)),
                        "localCompleted": .array(.plain(.number)),
                    ])))
        case .subChanges:
            MessageShape(
                [
                    "since": .known(.sequence), "continuous": .flag, "batch": .number, "activeOnly": .flag, "future": .flag,
                    "revocations": .flag,
                    "sendReplacementRevs": .flag, "filter": .choice(["sync_gateway/bychannel", ""]), "channels": .list(.known(.channel)),
                    "versioning": .choice(["rev-trees", "version-vectors"]), "revTree": .flag, "clientRevisions": .flag,
                ], .json(.object(["docIDs": .array(.text(.known(.id)))])))
        case .unsubChanges, .ping: MessageShape()
        case .changes:
            MessageShape([:], .json(.array(.tuple([.plain(.number), .text(.known(.id)), .text(.known(.revision)), .plain(.number)]))))
        case .proposeChanges:
            MessageShape(
                ["conflictIncludesRev": .flag, "revTree": .flag],
                .json(.array(.tuple([.text(.known(.id)), .text(random), .text(.known(.revision)), .plain(.number)]))))
        case .rev:
            MessageShape(
                [
                    "id": .known(.id), "rev": random, "history": history, "sequence": .known(.sequence),
                    "deleted": .choice(["0", "false", "1"]),
                    "noconflicts": .flag, "deltaSrc": .known(.revision), "revTree": history,
                    "clientRevisions": .json(.map(.known(.checkpoint), .text(.known(.revision)))),
                    "error": .number, "expiration": .number,
                ], .json(.document))
        case .norev:
            MessageShape([
                "id": .known(.id), "rev": revision, "error": .number, "reason": .text, "sequence": .known(.sequence),
                "seq": .known(.sequence),
            ])
        case .getAttachment: MessageShape(["digest": .known(.digest), "docID": .known(.id), "compress": .flag])
        case .proveAttachment: MessageShape(["digest": .known(.digest), "docID": .known(.id)], .bytes)
        }
    }

    private static let random = Term.choice([
        "1-a", "2-b", "1-aa", "2-bb", "3-cc", "18e9f0cc68800001@BOA02SKaSYC0d/vOEWw0Ew", "18e9f0cc328d0000@mKxrSwhrWi9HZ3sV54bZug",
    ])

    /// A client's replies to the bridge's requests.
    static func answer(to profile: String) -> MessageShape {
        switch profile {
        case "changes":
            MessageShape(
                ["maxHistory": .number, "blobs": .flag, "deltas": .flag], .json(.array(.array(.text(.known(.revision))))))
        case "getAttachment": MessageShape([:], .bytes)
        case "proveAttachment": MessageShape([:], .json(.text(.known(.digest))))
        default: MessageShape()
        }
    }
}
