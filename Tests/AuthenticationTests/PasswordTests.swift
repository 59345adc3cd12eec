import Access
import Testing

@testable import Authentication

@Suite("Password hashes")
struct PasswordTests {
    private let cheap = ScryptCost(logarithm: 4, blockSize: 8, parallelism: 1)

    /// RFC 7914, section 12.
    @Test(
        "scrypt gives the results of its specification",
        arguments: [
            (
                "", "", 4, 1, 1,
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            (
                "password", "NaCl", 10, 8, 16,
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            (
                "pleaseletmein", "SodiumChloride", 14, 8, 1,
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ])
    func scryptVectors(password: String, salt: String, logarithm: Int, blockSize: Int, parallelism: Int, hex: String) throws {
        let cost = ScryptCost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
        let key = try Scrypt.derive(password, salt: Array(salt.utf8), cost: cost, length: 64)
        #expect(key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == hex)
    }

    @Test("A password matches only its own hash")
    func matches() throws {
        let hash = try PasswordHash(of: "pässword", cost: cheap)
        #expect(hash.text.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
        #expect(try hash.matches("pässword"))
        #expect(try !hash.matches("password"))
        #expect(try !hash.matches(""))
        #expect(try PasswordHash(of: "pässword", cost: cheap) != hash)
        #expect(!hash.isOutdated(cheap))
        #expect(hash.isOutdated(.standard))
    }

    /// Hashes of other programs: OpenBSD's test vectors, and Go's bcrypt, which Sync Gateway uses.
    @Test(
        "bcrypt's hashes of every variant are accepted",
        arguments: [
            ("abc", "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i"),
            ("", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."),
            ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ])
    func bcryptVectors(password: String, text: String) throws {
        let hash = PasswordHash(text)
        #expect(hash.isUsable)
        #expect(try hash.matches(password))
        #expect(try !hash.matches(password + "x"))
        #expect(try !hash.matches(password + "\0x"))
        #expect(hash.isOutdated(.standard))
    }

    @Test(
        "A malformed hash matches no password, not even the empty one",
        arguments: [
            "", "secret", "$1$salt$hash", "$scrypt$", "$scrypt$ln=15,r=8,p=1$$", "$scrypt$ln=40,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=20,r=64,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", "$scrypt$ln=4,ln=4,r=8$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=-1,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ])
    func unusable(text: String) throws {
        let hash = PasswordHash(text)
        #expect(!hash.isUsable)
        #expect(try !hash.matches(""))
        #expect(try !hash.matches("secret"))
    }

    @Test("Descriptions contain no hash")
    func hidden() throws {
        let hash = try PasswordHash(of: "pw", cost: cheap)
        var user = User(name: "alice")
        user.passwordHash = hash
        var dumped = "\(hash) \(String(reflecting: hash)) \(user) \(SessionID())"
        dump(user, to: &dumped)
        #expect(!dumped.contains(hash.text))
        #expect(!dumped.contains("scrypt"))
    }
}
