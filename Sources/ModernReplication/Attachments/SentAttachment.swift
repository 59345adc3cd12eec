import Documents

/// An attachment as a peer was told of it.
struct SentAttachment: Hashable, Sendable {
    /// By which the peer asks for it.
    let digest: AttachmentDigest

    /// The compressed attachment whose content it is; `nil` if it is stored as the peer knows it.
    var compressed: AttachmentDigest?
}
