import Documents
import Gateway

/// Why an attachment's document cannot be written.
struct AttachmentFault: Error {
    let reason: String

    /// Whether the source does not have the bytes at all.
    let isMissing: Bool

    init(reason: String) {
        self.reason = reason
        isMissing = false
    }

    /// What is wrong with one attachment is its document's fault.
    ///
    /// - Throws: the error itself, if something is wrong with the source as a whole, which ends the run.
    init(_ error: any Error, _ entry: AttachmentMetadata, _ document: SourceDocument) throws {
        isMissing = (error as? SourceError)?.code == .attachmentMissing
        let what = "attachment \"\(entry.name)\" of \(document.id)"
        switch error {
        case let error as SourceError
        where error.code == .attachmentMissing || error.code == .damaged || error.code == .unsupported || error.code == .encrypted:
            reason = "\(what): \(error)"
        case let error as DocumentError: reason = "\(what): \(error.message)"
        case let error as GatewayError where error.code == .tooLarge || error.code == .badRequest:
            reason = "\(what): \(error.message)"
        default: throw error
        }
    }
}
