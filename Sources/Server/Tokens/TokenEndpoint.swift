import HTTPTypes

/// Where clients log in with tokens, by the segment after the database.
enum TokenEndpoint: String, CaseIterable, Sendable {
    case facebook = "_facebook"
    case persona = "_persona"
    case google = "_google"
    case oidc = "_oidc"
    case challenge = "_oidc_challenge"
    case callback = "_oidc_callback"
    case refresh = "_oidc_refresh"

    /// The one method that it has.
    var method: HTTPRequest.Method {
        switch self {
        case .facebook, .persona, .google: .post
        case .oidc, .challenge, .callback, .refresh: .get
        }
    }
}
