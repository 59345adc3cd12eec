import Documents
import Gateway
import Storage

/// A failure of a ``LocalDatabase`` or a ``LocalCollection``.
public struct LocalStoreError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The name cannot be the name of a collection.
        case invalidName
        /// The document's ID or its JSON is not allowed.
        case invalidDocument
        /// The document is too large: more than 20 MiB of JSON.
        case tooLarge
        /// The collection does not exist.
        case notFound
        /// The document was changed after it was read.
        case conflict
        /// The database cannot be opened, read or written: the message has the reason. A retry may succeed.
        case unavailable
    }

    /// The kind of failure.
    public let code: Code

    /// What happened, where, and what to do.
    public let message: String

    /// The underlying error, if any.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code, the message and the cause.
    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}

extension LocalStoreError {
    /// Runs work, and translates its errors. Errors that the app has thrown itself, and cancellation, pass unchanged.
    static func translating<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as GatewayError {
            throw LocalStoreError(error)
        } catch let error as DocumentError {
            throw LocalStoreError(error.code == .tooLarge ? .tooLarge : .invalidDocument, error.message, cause: error)
        } catch let error as StorageError {
            throw LocalStoreError(.unavailable, error.message, cause: error)
        }
    }

    private init(_ error: GatewayError) {
        let code: Code =
            switch error.code {
            case .badRequest, .digestMismatch, .missingAttachment, .forbidden, .loginWanted, .script: .invalidDocument
            case .tooLarge: .tooLarge
            case .notFound, .deleted: .notFound
            case .conflict: .conflict
            case .unauthorized, .configuration, .unavailable: .unavailable
            }
        self.init(code, error.message, cause: error)
    }
}
