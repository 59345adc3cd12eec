import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore

/// One request on its way through a handler of the server's own.
struct AdminCall: Sendable {
    /// The largest body, in bytes: a user with ten thousand channels.
    private static let bodySize = 4 << 20

    let request: Request
    let info: RequestInfo
    let query: Query
    let database: Database
    let access: DatabaseAccess

    /// `nil` for a store that nobody serves.
    let replications: Replications?

    /// What stands in the path where the route's pattern leaves it open.
    let parameters: [String]

    /// The first open part of the path: a name, or a session's ID.
    var name: String { parameters.first ?? "" }

    /// The body, whatever it is said to be: curl says that it sends a form.
    func json() async throws -> JSONValue {
        let bytes = try await request.decompressed(maximumSize: Self.bodySize).bytes(upTo: Self.bodySize)
        return try JSONValue(bytes, maximumDepth: 16)
    }

    /// The body, if it is not said to be something else than JSON: where a login comes of it, no form of another site may do.
    func strictJSON() async throws -> JSONValue {
        if let header = request.headers[.contentType], MediaType(header)?.isJSON != true {
            throw AdminError(.unsupportedMediaType, "Invalid content type \(header)")
        }
        return try await json()
    }
}
