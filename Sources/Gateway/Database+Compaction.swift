import Storage

extension Database {
    /// For how long an attachment that nothing names stays, in milliseconds: the document that names it may be on its way.
    private static var attachmentGrace: Int64 { 3_600_000 }

    /// Deletes attachments that nothing has named for an hour, in small transactions; returns how many.
    public func collectAttachments() async throws -> Int {
        var total = 0
        while true {
            let count = try await store.write { try $0.collectAttachments(olderThan: Self.attachmentGrace, limit: 100) }
            total += count
            if count == 0 { return total }
            try Task.checkCancellation()
        }
    }
}
