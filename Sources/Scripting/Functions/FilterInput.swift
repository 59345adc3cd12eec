/// What a replication filter looks at.
public struct FilterInput: Hashable, Sendable {
    /// The document's JSON.
    public let document: [UInt8]
    /// The request's JSON: `{"query": {parameters}, "userCtx": {"name": …, "roles": [names]}}`, the latter where there is a user.
    /// Headers, cookies and addresses never belong in it (CVE-2023-45725).
    public let request: [UInt8]

    /// A document and the request that asks for it, both as JSON.
    public init(document: [UInt8], request: [UInt8]) {
        self.document = document
        self.request = request
    }
}
