import Documents

/// An attachment that came in as a part of a multipart body, and has been stored.
struct ReceivedAttachment: Sendable, Equatable {
    /// The part's file name, if it has one.
    let filename: String?
    let length: Int64
    let sha1: AttachmentDigest

    /// Computed where an entry has a digest of that kind.
    let md5: AttachmentDigest?

    /// Its digest by the function of another one.
    func digest(like other: AttachmentDigest) -> AttachmentDigest? {
        other.algorithm == .sha1 ? sha1 : md5
    }
}
