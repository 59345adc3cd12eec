import Documents

/// What a verifier answered; never a redirect.
struct VerificationResponse: Sendable {
    let status: Int
    let body: [UInt8]

    /// How deep an answer may be nested.
    private static let maximumDepth = 16

    /// Whether the verifier could not do its work, rather than not liking the question.
    var isFailure: Bool { status >= 500 || status == 429 || status == 408 }

    /// The answer's JSON object.
    ///
    /// - Parameter verifier: who answered, for the message.
    /// - Throws: ``LoginError`` `unavailable` if it is none.
    func object(of verifier: String) throws(LoginError) -> JSONValue {
        do {
            let value = try JSONValue(body, maximumDepth: Self.maximumDepth)
            if value.members != nil { return value }
        } catch {
            throw LoginError(.unavailable, "\(verifier) answered with something that is no JSON", cause: error)
        }
        throw LoginError(.unavailable, "\(verifier) answered with JSON that is no object")
    }
}
