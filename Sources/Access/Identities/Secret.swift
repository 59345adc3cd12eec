/// A token, password or key. Neither its description nor that of any value that contains it shows the text.
package struct Secret: Hashable, Sendable {
    /// The text itself, for use in checks only.
    package let revealed: String

    package init(_ text: String) {
        revealed = text
    }

    package var isEmpty: Bool { revealed.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "hidden" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
