import Access
import CoreMetrics
import ReplicationService
import Telemetry

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

    let metrics: MetricsRegistry
    private let accepted: [LoginKind: Counter]
    private let refused: [Outcome: Counter]

    /// The counts of logins to a database.
    convenience init(_ metrics: MetricsRegistry) {
        self.init(metrics, kinds: LoginKind.allCases, failures: .failedLogins)
    }

    /// The counts of logins to the admin port. Accepted ones are not counted.
    convenience init(ofAdminPortIn metrics: MetricsRegistry) {
        self.init(metrics, kinds: [], failures: .failedAdminLogins)
    }

    private init(_ metrics: MetricsRegistry, kinds: [LoginKind], failures: MetricFamily) {
        self.metrics = metrics
        accepted = Dictionary(kinds.map { ($0, metrics.counter(.logins, [("method", $0.rawValue)])) }) { first, _ in first }
        refused = Dictionary(Outcome.allCases.map { ($0, metrics.counter(failures, [("outcome", $0.rawValue)])) }) { first, _ in first }
    }

    /// Counts an accepted login.
    func record(_ kind: LoginKind) {
        accepted[kind]?.increment()
    }

    /// Counts an error of a request about access, if it concerns a login.
    func record(_ error: any Error) {
        guard let outcome = Outcome(error) else { return }
        refused[outcome]?.increment()
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
