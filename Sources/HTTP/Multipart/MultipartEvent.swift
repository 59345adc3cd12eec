/// What a multipart parser found, in order: for each part its headers, its body in pieces, its end; then the end of all.
public enum MultipartEvent: Sendable, Hashable {
    /// A part's headers are complete.
    case partBegan(PartHeaders)
    /// A piece of the part's body, never empty. It shares the storage of the bytes that were consumed.
    case partBody(ArraySlice<UInt8>)
    /// The part's body is complete.
    case partEnded
    /// The closing delimiter was read. Nothing follows.
    case finished
}
