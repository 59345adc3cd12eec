import Access
import ReplicationService
import Synchronization

/// Counts of logins to a database: accepted logins by method, refused logins by outcome.
final class LoginCounts: Sendable {
    enum Outcome: String, CaseIterable, Sendable {
        /// A wrong password, session or token, or an account that is disabled.
        case refused
        /// Too many recent attempts.
        case limited
        /// Too many logins wait to be checked, or a verifier does not respond.
        case unavailable
    }

    private let counts = Mutex<[Outcome: Int]>([:])
    private let accepted = Mutex<[LoginKind: Int]>([:])

    subscript(outcome: Outcome) -> Int { counts.withLock { $0[outcome] ?? 0 } }

    /// The number of accepted logins of a kind.
    subscript(kind: LoginKind) -> Int { accepted.withLock { $0[kind] ?? 0 } }

    /// Counts an accepted login.
    func record(_ kind: LoginKind) {
        accepted.withLock { $0[kind, default: 0] += 1 }
    }

    /// Counts an error of a request about access, if it concerns a login.
    func record(_ error: any Error) {
        guard let outcome = Outcome(error) else { return }
        counts.withLock { $0[outcome, default: 0] += 1 }
    }
}

extension LoginCounts.Outcome {
    init?(_ error: any Error) {
        switch error {
        case let error as AccessError:
            switch error.code {
            case .invalidLogin, .invalidSession, .accountGone, .accountDisabled: self = .refused
            case .tooManyAttempts: self = .limited
            case .busy: self = .unavailable
            case .loginRequired, .badRequest, .notFound, .alreadyExists, .notAllowed, .damaged: return nil
            }
        case let error as LoginError:
            switch error.code {
            case .refused, .malformed: self = .refused
            case .unavailable, .misconfigured: self = .unavailable
            }
        default: return nil
        }
    }
}
