/// Why bytes are not the Fleece that they should be.
struct FleeceError: Error, Hashable, CustomStringConvertible {
    let description: String

    /// Where the fault is: bytes from the start.
    let offset: Int

    init(_ reason: StaticString, at offset: Int) {
        description = "\(reason) at byte \(offset)"
        self.offset = offset
    }
}
