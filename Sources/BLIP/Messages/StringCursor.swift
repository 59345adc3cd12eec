/// Goes from one NUL-terminated string to the next.
struct StringCursor {
    private let block: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ block: UnsafeBufferPointer<UInt8>) {
        self.block = block
    }

    /// Where the next string is, without its NUL; `nil` at the end. A block that does not end in NUL loses its last string.
    mutating func next() -> Range<Int>? {
        var end = position
        while end < block.count {
            if block[end] == 0 {
                defer { position = end + 1 }
                return position..<end
            }
            end += 1
        }
        return nil
    }
}
