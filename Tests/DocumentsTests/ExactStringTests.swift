import Documents
import Testing

@Suite("Texts compared by their bytes")
struct ExactStringTests {
    @Test("What String takes for equal are two")
    func equivalents() {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(composed == decomposed)
        #expect(ExactString(composed) != ExactString(decomposed))
        #expect(Set([composed, decomposed, composed].map { ExactString($0) }).count == 2)
        #expect(ExactString("K") != "\u{212a}")
    }

    @Test(
        "The same bytes are the same text, however they came to be", arguments: ["", "a", "caf\u{e9}", String(repeating: "🚂", count: 100)])
    func same(text: String) {
        let other = ExactString(String(decoding: Array(text.utf8), as: UTF8.self))
        #expect(ExactString(text) == other)
        #expect(ExactString(text).hashValue == other.hashValue)
        #expect("\(other)" == text)
    }
}
