import ArgumentParser
import Foundation
import Gateway
import Migration
import Server
import Storage

/// An error on its way to the shell: a message on standard error, and the documented exit code.
struct Failure {
    /// The exit codes that scripts rely on.
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
        case let error as GatewayError where error.code == .configuration: leave(.usage, error.message)
        case let error as GatewayError: leave(.unreachable, error.message)
        case let error as ListenError: leave(.unreachable, error.message)
        // The right program or the right store has to be named: nothing that trying again could mend.
        case let error as StorageError where error.code == .newerSchema: leave(.usage, error.message)
        case let error as StorageError: leave(.unreachable, error.message)
        case let error as AdminUnreachable: leave(.unreachable, error.message)
        case let error as AdminRefusal: leave(error.status < 500 ? .usage : .unreachable, error.message)
        case let error as CutoverRefusal: leave(error.status < 500 ? .usage : .unreachable, error.message)
        case let error as ReplicationSetupError: leave(.usage, error.message)
        case let error as ReplicationFailure: leave(error.kind == .refused ? .usage : .unreachable, error.message)
        case let error as UserFileError: leave(.usage, error.message)
        case let error as GatewayImportError: leave(.usage, error.message)
        case let error as GatewayUnreachable: leave(.unreachable, error.message)
        case let error as ReportFileError: leave(.unreachable, error.message)
        case let error as SourceError: leave(Self.code(of: error), error.message)
        case is CancellationError: leave(.partial, "stopped; run the command again to go on")
        default:
            // The parser's own: help, version and usage errors. It knows them by their types.
            if Dualgauge.exitCode(for: error) == .validationFailure { leave(.usage, Dualgauge.fullMessage(for: error)) }
            Dualgauge.exit(withError: error)
        }
    }

    private static func code(of error: SourceError) -> Code {
        switch error.code {
        case .unreachable, .unauthorized: .unreachable
        case .unsupported, .encrypted: .usage
        default: .partial
        }
    }

    private func leave(_ code: Code, _ message: String) -> Never {
        let text = message.hasPrefix("Error:") ? message : "dualgauge: \(message)"
        StandardStream.errors.write(text + "\n")
        Foundation.exit(code.rawValue)
    }
}
