import Documents

/// An attachment that came in as a part of a multipart body, or in base64 within a long one, and has been stored.
struct ReceivedAttachment: Sendable, Equatable {
    /// The part's file name, if it has one; the name of the attachment if it was inline.
    let filename: String?
    let length: Int64
    let sha1: AttachmentDigest

    /// Computed where an entry has a digest of that kind.
    let md5: AttachmentDigest?

    /// Whether its entry had its data.
    var wasInline = false

    /// Its digest by the function of another one.
    func digest(like other: AttachmentDigest) -> AttachmentDigest? {
        other.algorithm == .sha1 ? sha1 : md5
    }
}
