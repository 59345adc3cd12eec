/// A token, password or key. No description of it, and of nothing that contains it, shows it.
public struct Secret: Hashable, Sendable {
    /// The text itself. It goes to whoever has to check it, and nowhere else.
    public let revealed: String

    public init(_ text: String) {
        revealed = text
    }

    public var isEmpty: Bool { revealed.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "hidden" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
