import TestSupport

extension SeededGenerator {
    /// Random bytes, many of which occur in delimiters and headers.
    mutating func bytes(_ count: Int, alphabet: [UInt8]? = nil) -> [UInt8] {
        (0..<count).map { _ in alphabet?.randomElement(using: &self) ?? UInt8.random(in: 0...255, using: &self) }
    }

    /// The array in pieces of random lengths, some of them empty.
    mutating func cut(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        let longest = [1, 2, 7, 40, 300].randomElement(using: &self) ?? 1
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 0...longest, using: &self))
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }
}
