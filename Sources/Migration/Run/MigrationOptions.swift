public import Gateway

/// How a run from a source is to be done.
public struct MigrationOptions: Sendable, Equatable {
    /// What becomes of a document of which the source has not all attachments.
    public enum MissingAttachments: String, Sendable, CaseIterable {
        /// It is written. The attachment stays a stub until a later run brings its bytes.
        case keep
        /// It is not written, but kept in the quarantine.
        case quarantine
    }

    /// How much is read and written at once.
    public var batch = SourceBatchLimits()

    /// The most documents a second; `nil` for as many as there are.
    public var rate: Int?

    public var missingAttachments = MissingAttachments.keep

    /// What of the source is wanted.
    public var imports = ImportOptions()

    /// Whether the run slows down when the source does: for sources that others use, too.
    public var sparesSource = false

    public init() {}

    /// What has to be the same for a run to be gone on with.
    var fingerprint: String {
        "collectionsOnly=\(imports.collectionsOnly) excludesTombstones=\(imports.excludesTombstones)"
            + (missingAttachments == .keep ? "" : " missingAttachments=\(missingAttachments)")
    }
}
