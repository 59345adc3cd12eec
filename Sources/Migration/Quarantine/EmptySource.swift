import Documents

/// Stands in for a source that nobody has named: it has nothing.
struct EmptySource: MigrationSource {
    let label = "the quarantine"

    func summary() async throws -> SourceSummary { SourceSummary(kind: "nothing") }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? { nil }

    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {
        throw SourceError(
            .attachmentMissing,
            "its bytes (\(attachment.digest.map(\.description) ?? "no digest")) are not here; name the source that has them with --from")
    }

    func close() async {}
}
