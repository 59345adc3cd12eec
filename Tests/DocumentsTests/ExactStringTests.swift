import Documents
import Testing

@Suite("Texts that are compared by their bytes")
struct ExactStringTests {
    @Test("Texts that String treats as equal are two")
    func equivalents() {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(composed == decomposed)
        #expect(ExactString(composed) != ExactString(decomposed))
        #expect(Set([composed, decomposed, composed].map { ExactString($0) }).count == 2)
        #expect(ExactString("K") != "\u{212a}")
    }

    @Test(
        "Texts of the same bytes are equal", arguments: ["", "a", "caf\u{e9}", String(repeating: "🚂", count: 100)])
    func same(text: String) {
        let other = ExactString(String(decoding: Array(text.utf8), as: UTF8.self))
        #expect(ExactString(text) == other)
        #expect(ExactString(text).hashValue == other.hashValue)
        #expect("\(other)" == text)
    }
}
