import ArgumentParser
import BridgeConfiguration
import Discovery
import Foundation
import Gateway
import HTTP
import Migration
import ReplicationService
import Server
import Storage
import StoreCopy
import Supervision

/// Ends the process for an error: with a message on standard error, and the documented exit code.
struct Failure {
    /// The documented exit codes.
    enum Code: Int32 {
        case partial = 1
        case usage = 2
        case unreachable = 3
        case refused = 4
    }

    private let error: any Error

    init(_ error: any Error) {
        self.error = error
    }

    func exit() -> Never {
        switch error {
        case let error as ConfigurationError: leave(.usage, error.description)
        case let error as GatewayError: leave(Self.code(of: error), error.message)
        case let error as ListenError: leave(.usage, error.message)
        case let error as SpawnError: leave(.partial, error.message)
        case let error as StorageError: leave(Self.code(of: error), error.message)
        case let error as StoreCopyError: leave(Self.code(of: error), error.message)
        case let error as AdminUnreachable: leave(.unreachable, error.message)
        case let error as AdminRefusal: leave(error.status < 500 ? .usage : .unreachable, error.message)
        case let error as CutoverRefusal: leave(error.status < 500 ? .usage : .unreachable, error.message)
        case let error as ReplicationSetupError: leave(.usage, error.message)
        case let error as ReplicationFailure: leave(error.kind == .refused ? .usage : .unreachable, error.message)
        case let error as DiscoveryError: leave(.unreachable, error.description)
        case let error as UserFileError: leave(.usage, error.message)
        case let error as GatewayImportError: leave(.usage, error.message)
        case let error as GatewayUnreachable: leave(.unreachable, error.message)
        case let error as ReportFileError: leave(.unreachable, error.message)
        case let error as SourceError: leave(Self.code(of: error), error.message)
        case is CancellationError: leave(.partial, "stopped; run the command again to go on")
        case let error as UnknownCommand: leave(.usage, error.message)
        // A `ValidationError` of a running command needs no usage text, unlike one from the parser.
        case let error as ValidationError: leave(.usage, error.message)
        default: exitAsParser()
        }
    }

    /// Handles help, versions and usage errors, which only the parser can tell apart by their types, and unexpected errors.
    private func exitAsParser() -> Never {
        let code = Dualgauge.exitCode(for: error)
        if code == .validationFailure { leave(.usage, Dualgauge.fullMessage(for: error)) }
        if code.isSuccess || error is ExitCode { Dualgauge.exit(withError: error) }
        leave(.partial, error is any LocalizedError || error is CocoaError ? error.localizedDescription : NetworkErrorText.text(error))
    }

    private static func code(of error: SourceError) -> Code {
        switch error.code {
        case .unreachable: .unreachable
        case .unsupported, .encrypted, .unauthorized, .noDatabase: .usage
        case .damaged, .attachmentMissing, .changed: .partial
        }
    }

    private static func code(of error: GatewayError) -> Code {
        switch error.code {
        case .configuration: .usage
        case .badRequest, .digestMismatch, .unauthorized, .forbidden, .loginWanted, .notFound, .deleted, .conflict, .missingAttachment,
            .tooLarge, .unavailable, .script:
            .unreachable
        }
    }

    private static func code(of error: StorageError) -> Code {
        switch error.code {
        // A retry cannot help: the program's version or the store has to be another one.
        case .newerSchema, .olderSchema, .moved: .usage
        case .notFound, .notAStore, .corrupt, .readOnly, .full, .busy, .inputOutput, .conflict, .invalidArgument, .fenced, .closed,
            .replaced, .unexpected:
            .unreachable
        }
    }

    private static func code(of error: StoreCopyError) -> Code {
        switch error.code {
        case .occupied, .elsewhere, .unrelated, .incomplete: .usage
        case .different: .partial
        }
    }

    private func leave(_ code: Code, _ message: String) -> Never {
        let prefix = "Error: "
        let text = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
        StandardStream.errors.write("dualgauge: \(text)\n")
        Foundation.exit(code.rawValue)
    }
}
