/// What a check of a store found.
public struct CheckReport: Sendable {
    /// How many documents were looked at.
    public var documents: Int64 = 0

    /// How many of them the routes want elsewhere.
    public var misplaced: Int64 = 0

    /// How many of them have a legacy ID that is not the derived one, or had before their collection was hidden.
    public var qualified: Int64 = 0

    /// How many attachments were read.
    public var attachments: Int64 = 0

    /// How many attachments documents name whose bytes never came.
    public var missingAttachments: Int64 = 0

    /// How many bytes of attachments were read.
    public var attachmentBytes: Int64 = 0

    /// The first problems, as many as were asked for.
    public var problems: [StoreProblem] = []

    /// How many problems there are in all, by subject.
    public var counts: [StoreProblem.Subject: Int] = [:]

    public init() {}

    /// How many problems there are in all.
    public var problemCount: Int { counts.values.reduce(0, +) }

    /// Whether nothing was found.
    public var isSound: Bool { counts.isEmpty }
}
