import Documents

/// A leaf of a sample document, as a 1.x client pushes it.
struct SampleRevision: Sendable {
    let id: String

    /// Newest first, the revision itself included.
    let history: [RevisionID]
    let isDeleted: Bool

    /// The document's own properties, a JSON object.
    let body: [UInt8]
    let attachments: [SampleAttachment]
}
