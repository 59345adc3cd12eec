import Documents
import Testing

@Suite("Document IDs")
struct DocumentIDTests {
    @Test(
        "Valid IDs are accepted",
        arguments: ["a", "a/b", "_design/x", "é😀", "a b+%?#&", "..", String(repeating: "x", count: 250), "-", "~", "a_"])
    func allowed(id: String) {
        #expect(code { try DocumentID.validate(id) } == nil)
    }

    @Test(
        "Invalid IDs are refused",
        arguments: [
            "", "_a", "_", "_design", "_design/", "_local/x", "a\0b", "a\nb", "\u{7f}", String(repeating: "x", count: 251),
            String(repeating: "é", count: 126),
        ])
    func refused(id: String) {
        #expect(code { try DocumentID.validate(id) } == .badDocumentID)
    }

    @Test("Couchbase Lite 2.x+ accepts up to 240 bytes, and no design documents")
    func modern() {
        #expect(DocumentID.isAcceptableToModernClients(String(repeating: "x", count: 240)))
        #expect(!DocumentID.isAcceptableToModernClients(String(repeating: "x", count: 241)))
        #expect(!DocumentID.isAcceptableToModernClients(""))
        #expect(!DocumentID.isAcceptableToModernClients("_design/x"))
        #expect(!DocumentID.isAcceptableToModernClients("a\nb"))
        #expect(DocumentID.isDesign("_design/x"))
    }
}
