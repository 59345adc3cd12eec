/// What suggesting routes looks at in a document.
struct SampledDocument: Sendable, Equatable {
    /// The longest text that could name a type, in bytes.
    static let maximumValueLength = 40

    var id: String
    var isDeleted = false

    /// Its top-level properties, by their numbers in the sample.
    var properties: [Int] = []

    /// Those of them that are short texts.
    var texts: [Int: String] = [:]
}
