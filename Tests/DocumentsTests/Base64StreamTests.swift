import Testing

@testable import Documents

@Suite("Base64 in pieces")
struct Base64StreamTests {
    private func decode(_ text: String, piece: Int) throws -> [UInt8] {
        var stream = Base64Stream()
        var bytes: [UInt8] = []
        let text = Array(text.utf8)
        for start in stride(from: 0, to: text.count, by: piece) { bytes += try stream.append(text[start..<min(start + piece, text.count)]) }
        return try bytes + stream.finish()
    }

    @Test("The bytes are the same, in pieces of any size", arguments: 1...9)
    func pieces(_ piece: Int) throws {
        for count in 0..<20 {
            let bytes = (0..<count).map { UInt8($0 * 37 & 255) }
            #expect(try decode(Base64.encode(bytes), piece: piece) == bytes)
        }
        #expect(try decode("AQ\r\nID\n", piece: piece) == [1, 2, 3])
    }

    @Test(
        "Malformed base64 is refused", arguments: ["A", "AB", "ABC", "AB==ABCD", "A===", "AB*D", "====", "ABCDAB=C", "AQ==" + "AQ=="], 1...5
    )
    func malformed(_ text: String, piece: Int) {
        #expect(throws: DocumentError.self) { try decode(text, piece: piece) }
    }
}
