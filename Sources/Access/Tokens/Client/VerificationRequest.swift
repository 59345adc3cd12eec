/// One question to a verifier.
struct VerificationRequest: Hashable, Sendable {
    struct Header: Hashable, Sendable {
        let name: String
        let value: Secret
    }

    let endpoint: VerificationEndpoint

    /// A form to post; `nil` for GET.
    let form: Secret?

    var headers: [Header] = []

    /// Whether callers that ask the same at the same time may share the answer. Not so what can be asked once only.
    var isShared = true

    static func get(_ endpoint: VerificationEndpoint, headers: [Header] = []) -> VerificationRequest {
        VerificationRequest(endpoint: endpoint, form: nil, headers: headers)
    }

    static func post(_ endpoint: VerificationEndpoint, _ items: [(name: String, value: String)]) -> VerificationRequest {
        VerificationRequest(endpoint: endpoint, form: Secret(FormEncoding.encode(items)))
    }
}

extension VerificationRequest.Header {
    /// `Authorization: Bearer`. A token in a header is in nobody's access log, as one in a URL would be.
    static func bearer(_ token: Secret) -> VerificationRequest.Header {
        VerificationRequest.Header(name: "Authorization", value: Secret("Bearer \(token.revealed)"))
    }
}
