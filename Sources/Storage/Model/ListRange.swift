/// Which IDs a listing covers, in byte order of their UTF-8.
public struct ListRange: Hashable, Sendable {
    public var from: String?
    public var to: String?
    public var includesTo: Bool
    public var descending: Bool
    public var includesDeleted: Bool

    public init(from: String? = nil, to: String? = nil, includesTo: Bool = true, descending: Bool = false, includesDeleted: Bool = false) {
        self.from = from
        self.to = to
        self.includesTo = includesTo
        self.descending = descending
        self.includesDeleted = includesDeleted
    }
}
