import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

extension LegacyError {
    /// The response to a whole request.
    var response: Response {
        var body: [UInt8] = []
        JSONWriter.append(raw: "{\"error\":", to: &body)
        JSONWriter.append(code.name, to: &body)
        JSONWriter.append(raw: ",\"reason\":", to: &body)
        JSONWriter.append(reason, to: &body)
        JSONWriter.append(raw: "}", to: &body)
        return .json(body, status: code.status)
    }

    /// Appends a row for a failed document: `{"error","id","reason","rev"?,"status"}`.
    ///
    /// The row has no `_id`, because clients treat that as success.
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
    /// The error that a client gets for an error of any lower layer.
    ///
    /// Unexpected errors are reported only as internal errors, because their text may contain information that the client must not see.
    init(translating error: any Error) {
        switch error {
        case let error as LegacyError: self = error
        case let error as GatewayError: self.init(error)
        case let error as DocumentError: self.init(error)
        case let error as JSONError: self.init(.badRequest, "Bad JSON: \(error.reason)", cause: error)
        case let error as MultipartError: self.init(Code(error.code), error.message, cause: error)
        case let error as RequestTargetError: self.init(Code(error.code), error.message, cause: error)
        case let error as RequestError: self.init(Code(error.code), error.reason, cause: error)
        case is NIOTooManyBytesError: self = .bodyTooLarge(cause: error)
        case let error as StorageError where error.code == .moved:
            self.init(.unavailable, "The database was moved, and is only read here: see the server's log for the new place", cause: error)
        case let error as StorageError where error.isOfStore:
            // Clients retry after a 503, when the disk may have room again.
            self.init(.unavailable, "The database cannot be used for now: see the server's log", cause: error)
        case is CancellationError: self.init(.unavailable, "The server is shutting down, or the client has gone", cause: error)
        default: self.init(.internalError, "Internal error: see the server's log", cause: error)
        }
    }

    init(_ error: GatewayError) {
        let code: Code =
            switch error.code {
            case .badRequest, .digestMismatch: .badRequest
            case .unauthorized, .loginWanted: .unauthorized
            case .forbidden: .forbidden
            case .notFound, .deleted: .notFound
            case .conflict: .conflict
            case .missingAttachment: .missingStub
            case .tooLarge: .tooLarge
            case .unavailable: .unavailable
            case .configuration, .script: .internalError
            }
        self.init(code, error.message, cause: error)
    }

    init(_ error: DocumentError) {
        let code: Code =
            switch error.code {
            case .tooLarge: .tooLarge
            case .missingAttachment: .missingStub
            case .badJSON, .duplicateKey, .tooDeep, .badDocumentID, .badRevisionID, .badVersion, .badRevisions, .unknownRevision, .badTree,
                .badAttachment, .badBase64, .digestMismatch, .lengthMismatch, .badDelta, .badSelector, .reservedProperty:
                .badRequest
            }
        self.init(code, error.code == .badRevisionID ? "Invalid revision ID" : error.message, cause: error)
    }

    /// Runs the filter of a feed, and translates its errors.
    ///
    /// A failing function gets 400, because it will fail again. After a 5xx, clients would retry endlessly, and Couchbase Lite for Java would
    /// treat the response as an empty feed.
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

    /// Sync Gateway's response to a revision with a client's ID whose history is inconsistent.
    static let badRevisions = LegacyError(.badRequest, "Bad _revisions")

    /// Sync Gateway's response to an unknown path.
    static let unknownURL = LegacyError(.notFound, "unknown URL")
}

extension LegacyError.Code {
    fileprivate init(_ code: MultipartError.Code) {
        self =
            switch code {
            case .preambleTooLarge, .epilogueTooLarge, .headerTooLarge, .tooManyHeaders, .tooManyParts: .tooLarge
            case .notMultipart: .unsupportedType
            case .missingBoundary, .invalidBoundary, .truncated, .malformedHeader, .duplicateHeader: .badRequest
            }
    }

    fileprivate init(_ code: RequestTargetError.Code) {
        self =
            switch code {
            case .tooLong: .uriTooLong
            case .tooManySegments, .tooManyQueryItems, .malformed, .forbiddenCharacter, .invalidEscape, .invalidUTF8, .invalidParameter:
                .badRequest
            }
    }

    fileprivate init(_ code: RequestError.Code) {
        self =
            switch code {
            case .badRequest, .requestTimeout, .upgradeRequired, .headTooLarge: .badRequest
            case .contentTooLarge: .tooLarge
            case .unsupportedMediaType: .unsupportedType
            case .invalidResponse: .internalError
            case .unavailable: .unavailable
            case .unsupportedFeature: .unsupported
            }
    }
}
