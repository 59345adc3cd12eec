import Foundation
import TestSupport
import Testing

@testable import HTTP

@Suite("Base64 in headers")
struct LenientBase64Tests {
    private func decode(_ text: String) -> [UInt8]? {
        LenientBase64.decode(text.utf8)
    }

    @Test(
        "The test vectors of RFC 4648 are decoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(decode(encoded) == Array(plain.utf8))
    }

    @Test("Random bytes of any length are decoded, also without padding, with line breaks and in the URL alphabet")
    func roundTrip() {
        var random = SeededGenerator(seed: 11)
        for length in 0..<300 {
            let bytes = random.bytes(length)
            let text = Data(bytes).base64EncodedString()
            #expect(decode(text) == bytes)
            let bare = text.filter { $0 != "=" }
            #expect(decode(bare) == bytes)
            #expect(decode(String(bare.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })) == bytes)
            #expect(decode(text.map { "\($0)\r\n \t" }.joined()) == bytes)
        }
    }

    @Test(
        "Non-canonical forms are accepted",
        arguments: [("Zg", "f"), ("Zh==", "f"), ("Zm9=", "fo"), ("Zm 9v", "foo"), ("\nZm9v\n", "foo"), ("Zg= =", "f"), ("Zg==\n", "f")])
    func sloppy(text: String, plain: String) {
        #expect(decode(text) == Array(plain.utf8))
    }

    @Test(
        "Malformed base64 is refused",
        arguments: [
            "Z", "Zg=", "Zg===", "Zm9v=", "Zm9v====", "=", "====", "Zg==Zg==", "Z=g=", "Zm9v!", "Zm9ä", "Zm9vZ", "\0", "Zm8==", "A===",
            "Zm9vA", "Zg=\u{80}",
        ])
    func refused(text: String) {
        #expect(decode(text) == nil)
    }
}
