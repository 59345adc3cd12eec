/// Where documents are read from: a live server, a database file, a dump, a store of ours.
///
/// A source is read in batches, each of which ends at a cursor; reading goes on after any cursor that the source has given, in another
/// process and another year too. Reading never changes the source. One caller at a time reads batches; attachments are read beside them.
public protocol MigrationSource: Sendable {
    /// How messages and reports call it: the endpoint without credentials.
    var label: String { get }

    /// What can be said before anything is read. Cheap: nothing is counted that would have to be read through.
    func summary() async throws -> SourceSummary

    /// Does what takes long before the first batch can be read. Most sources have nothing to do.
    ///
    /// - Parameter progress: is told now and then; what it throws ends the work.
    /// - Throws: ``SourceError``, and what `progress` throws.
    func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws

    /// The next documents, in an order of the source's own that stays the same between runs.
    ///
    /// What is wrong with one document is one of the batch's items, never an error of the whole.
    ///
    /// - Parameter cursor: where an earlier batch ended; `nil` for the beginning.
    /// - Returns: `nil` when there are no more.
    /// - Throws: ``SourceError`` if the source as a whole cannot be read, or not at the moment.
    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch?

    /// Reads an attachment in parts of bounded size.
    ///
    /// - Throws: ``SourceError`` with code `attachmentMissing` if the source does not have its bytes; what `consume` throws.
    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws

    /// Lets go of files and connections.
    func close() async
}

extension MigrationSource {
    public func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws {}
}
