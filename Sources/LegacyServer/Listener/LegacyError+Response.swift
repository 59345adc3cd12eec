import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

extension LegacyError {
    /// The answer to a whole request.
    var response: Response {
        var body: [UInt8] = []
        JSONWriter.append(raw: "{\"error\":", to: &body)
        JSONWriter.append(code.name, to: &body)
        JSONWriter.append(raw: ",\"reason\":", to: &body)
        JSONWriter.append(reason, to: &body)
        JSONWriter.append(raw: "}", to: &body)
        return .json(body, status: code.status)
    }

    /// Appends a row that stands for a document that failed: `{"error","id","reason","rev"?,"status"}`.
    ///
    /// There is no `_id` in it: clients take that for success.
    func appendRow(id: String, revision: String? = nil, to bytes: inout [UInt8]) {
        JSONWriter.append(raw: "{\"error\":", to: &bytes)
        JSONWriter.append(code.rowName, to: &bytes)
        JSONWriter.append(raw: ",\"id\":", to: &bytes)
        JSONWriter.append(id, to: &bytes)
        JSONWriter.append(raw: ",\"reason\":", to: &bytes)
        JSONWriter.append(reason, to: &bytes)
        if let revision {
            JSONWriter.append(raw: ",\"rev\":", to: &bytes)
            JSONWriter.append(revision, to: &bytes)
        }
        JSONWriter.append(raw: ",\"status\":", to: &bytes)
        JSONWriter.append(code.status.code, to: &bytes)
        JSONWriter.append(raw: "}", to: &bytes)
    }
}

extension LegacyError {
    /// What a client is told of an error from anywhere below.
    ///
    /// Errors that nobody has foreseen are told as an internal error and nothing more: their text may hold what the client
    /// must not see.
    init(translating error: any Error) {
        switch error {
        case let error as LegacyError: self = error
        case let error as GatewayError: self.init(error)
        case let error as DocumentError: self.init(error)
        case let error as JSONError: self.init(.badRequest, "Bad JSON: \(error.reason)", cause: error)
        case let error as MultipartError: self.init(Code(status: error.status), error.message, cause: error)
        case let error as RequestTargetError: self.init(Code(status: error.status), error.message, cause: error)
        case let error as RequestError: self.init(Code(status: error.code.status.code), error.reason, cause: error)
        case is NIOTooManyBytesError: self = .bodyTooLarge(cause: error)
        case let error as StorageError where error.isOfStore:
            // Clients come back after a 503, and the disk may have room by then.
            self.init(.unavailable, "The database cannot be used for now: see the server's log", cause: error)
        case is CancellationError: self.init(.unavailable, "The server is shutting down, or the client has gone", cause: error)
        default: self.init(.internalError, "Internal error: see the server's log", cause: error)
        }
    }

    init(_ error: GatewayError) {
        let code: Code =
            switch error.code {
            case .badRequest: .badRequest
            case .unauthorized, .loginWanted: .unauthorized
            case .forbidden: .forbidden
            case .notFound, .deleted: .notFound
            case .conflict: .conflict
            case .missingAttachment: .missingStub
            case .tooLarge: .tooLarge
            case .unavailable: .unavailable
            default: .internalError
            }
        self.init(code, error.message, cause: error)
    }

    init(_ error: DocumentError) {
        let code: Code =
            switch error.code {
            case .tooLarge: .tooLarge
            case .missingAttachment: .missingStub
            default: .badRequest
            }
        self.init(code, error.code == .badRevisionID ? "Invalid revision ID" : error.message, cause: error)
    }

    /// What goes wrong with a filter, as a feed's client is told.
    ///
    /// A function that fails gets 400, because it will fail again: 5xx would make clients try again for ever, and Couchbase Lite for Java
    /// take the answer for an empty feed.
    static func ofFilter<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as GatewayError {
            guard error.code == .script else { throw LegacyError(error) }
            throw LegacyError(.badRequest, error.message, cause: error)
        }
    }

    static func bodyTooLarge(cause: (any Error)? = nil) -> LegacyError {
        LegacyError(.tooLarge, "The request's body is too large: send fewer documents at once", cause: cause)
    }

    /// Sync Gateway's answer to a revision that comes with its ID, where that and its history make no sense.
    static let badRevisions = LegacyError(.badRequest, "Bad _revisions")

    /// Sync Gateway's answer to a path that it does not know.
    static let unknownURL = LegacyError(.notFound, "unknown URL")
}

extension LegacyError.Code {
    /// The code for a status that another room of ours has given.
    init(status: Int) {
        let known: [Self] = [
            .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .conflict, .alreadyExists, .tooLarge,
            .tooManyRequests,
            .uriTooLong, .unsupportedType, .rangeNotSatisfiable, .unsupported, .unavailable,
        ]
        self = known.first { $0.status.code == status } ?? (status < 500 ? .badRequest : .internalError)
    }
}
