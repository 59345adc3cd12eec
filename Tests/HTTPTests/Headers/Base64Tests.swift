import HTTP
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The vectors of RFC 4648, both ways",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.encodedBytes(Array(plain.utf8)[...]) == Array(encoded.utf8))
        #expect(Base64.encode(plain.utf8.lazy.map { $0 }) == encoded)
        for strictness in [Base64.Strictness.strict, .tolerant] {
            #expect(Base64.decode(encoded, strictness) == Array(plain.utf8))
            #expect(Base64.decode(bytes: Array(encoded.utf8)[...], strictness) == Array(plain.utf8))
            #expect(Base64.decode(bytes: encoded.utf8.lazy.map { $0 }, strictness) == Array(plain.utf8))
        }
    }

    @Test("Random bytes of any length come back, tolerantly also without padding, broken into lines, URL-safe")
    func roundTrip() {
        var random = SplitMix64(seed: 11)
        for length in 0..<300 {
            let bytes = random.bytes(length)
            let text = Base64.encode(bytes)
            #expect(text.utf8.count == (length + 2) / 3 * 4)
            #expect(Base64.decode(text) == bytes)
            let bare = text.filter { $0 != "=" }
            #expect(Base64.decode(bare, .tolerant) == bytes)
            #expect(Base64.decode(String(bare.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }), .tolerant) == bytes)
            #expect(Base64.decode(text.map { "\($0)\r\n \t" }.joined(), .tolerant) == bytes)
            if length % 3 != 0 { #expect(Base64.decode(bare) == nil) }
        }
    }

    @Test(
        "Only the tolerant decoder takes these",
        arguments: [("Zg", "f"), ("Zh==", "f"), ("Zm9=", "fo"), ("Zm 9v", "foo"), ("\nZm9v\n", "foo"), ("Zg= =", "f"), ("Zg==\n", "f")])
    func tolerant(text: String, plain: String) {
        #expect(Base64.decode(text) == nil)
        #expect(Base64.decode(text, .tolerant) == Array(plain.utf8))
    }

    @Test(
        "Neither decoder takes these",
        arguments: [
            "Z", "Zg=", "Zg===", "Zm9v=", "Zm9v====", "=", "====", "Zg==Zg==", "Z=g=", "Zm9v!", "Zm9ä", "Zm9vZ", "\0", "Zm8==", "A===",
            "Zm9vA", "Zg=\u{80}",
        ])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
        #expect(Base64.decode(text, .tolerant) == nil)
    }

    @Test("Every pair of octets in place of padding or digits is decoded or refused alike in both spellings of strictness")
    func hostile() {
        for first in UInt8.min...UInt8.max {
            for second in stride(from: UInt8.min, to: .max, by: 5) {
                let text: [UInt8] = [UInt8(ascii: "Z"), UInt8(ascii: "g"), first, second]
                if let strict = Base64.decode(bytes: text) {
                    #expect(Base64.decode(bytes: text, .tolerant) == strict)
                    #expect(Base64.encodedBytes(strict) == text)
                }
            }
        }
    }
}
