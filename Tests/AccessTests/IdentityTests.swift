import Access
import Testing

@Suite("Identities")
struct IdentityTests {
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
}
