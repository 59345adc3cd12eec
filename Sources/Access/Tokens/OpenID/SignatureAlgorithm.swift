/// The signatures that are taken. There is no `none`, and nothing with a shared key: whoever knows the public key could sign with it.
enum SignatureAlgorithm: String, Hashable, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}
