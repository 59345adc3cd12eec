/// An attachment of a sample document.
struct SampleAttachment: Sendable {
    let name: String
    let contentType: String
    let bytes: [UInt8]
}
