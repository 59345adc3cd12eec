import Testing

@testable import Authentication

@Suite("Token logins: small parts")
struct PartsTests {
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
