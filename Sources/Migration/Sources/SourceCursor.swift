/// A place in a source, in a form of the source's own.
public struct SourceCursor: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
