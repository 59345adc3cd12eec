import Testing

@testable import Access

@Suite("Token logins: small parts")
struct PartsTests {
    @Test("Descriptions contain no secret")
    func secret() {
        let secret = Secret("CANARY")
        var dumped = ""
        dump(["a": secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", "\(String(describing: Optional(secret)))", dumped] {
            #expect(!text.contains("CANARY"))
        }
        #expect(secret.revealed == "CANARY")
    }

    @Test(
        "User names are validated",
        arguments: [
            ("a", true), ("A-b+c.d@e%2F_1", true), ("", false), ("a b", false), ("a/b", false), ("ü", false), ("a\u{0}", false),
            (String(repeating: "a", count: 251), false),
        ])
    func names(_ text: String, _ isAllowed: Bool) {
        #expect((LoginName(text) != nil) == isAllowed)
    }

    @Test(
        "Form encoding follows its standard",
        arguments: [("abc-_.~", "abc-_.~"), ("a b", "a+b"), ("a+b&c=d/e", "a%2Bb%26c%3Dd%2Fe"), ("é\n", "%C3%A9%0A")])
    func forms(_ text: String, _ encoded: String) {
        #expect(FormEncoding.encode(text) == encoded)
    }

    @Test("Base64 for URLs is decoded strictly")
    func base64() {
        for bytes in [[], [0], [0xfb, 0xff], [1, 2, 3], Array(0...255)] as [[UInt8]] {
            let text = Base64URL.encode(bytes)
            #expect(!text.contains { "+/=".contains($0) })
            #expect(Base64URL.decode(Array(text.utf8)) == bytes)
        }
        for text in ["a", "+/+/", "AA==", "A A", "AB", "!!!!", "AAA\n"] { #expect(Base64URL.decode(Array(text.utf8)) == nil) }
    }

    @Test("States and nonces are random, and a nonce is derived from its state")
    func states() {
        let (first, second) = (LoginState(), LoginState())
        #expect(first.text != second.text && first.nonce != second.nonce && first.nonce != first.text)
        #expect(LoginState(first.text).nonce == first.nonce)
    }
}
