import Access
import Authentication
import BridgeConfiguration
import Coordination
import Logging
import ReplicationService

/// Updates the channels and roles that the old server gives to its users, which can change as long as the fleet uses the old server.
///
/// Requests use the credentials of a user's last login here. They run one at a time, at most once in ``interval`` for each user. No login
/// waits for them. Call ``close()`` to stop.
final class UpstreamFollower: Sendable {
    struct Question: Sendable {
        let name: String
        let credentials: UpstreamLogin.Credentials
    }

    private struct State {
        /// The earliest time of each user's next request, in seconds.
        var dueTimes: [String: Int64] = [:]
        /// The end of the pause after a failed request, in seconds.
        var pause: Int64 = 0
    }

    /// How long a reply is valid, and how long requests pause after the old server did not respond, in seconds.
    static let interval: Int64 = 300
    static let pause: Int64 = 30

    /// The most queued requests, and the most users with a recorded time. Requests beyond that are dropped until the user's next login.
    private static let waiting = 256
    private static let remembered = 100_000

    private let verifier: UpstreamVerifier
    private let tokens: TokenLogins
    private let accounts: Accounts
    private let isFollowed: @Sendable () async throws -> Bool
    private let clock: AccessClock
    private let logger: Logger
    private let state = Lock(State())
    private let questions: AsyncStream<Question>.Continuation
    private let worker = BackgroundTask()

    /// - Parameter isFollowed: whether the old server is still the authority for its users' access.
    init?(
        _ tokens: TokenLogins, accounts: Accounts, isFollowed: @escaping @Sendable () async throws -> Bool, clock: AccessClock = .system,
        logger: Logger
    ) {
        guard let verifier = tokens.authenticators.upstream else { return nil }
        self.verifier = verifier
        self.tokens = tokens
        self.accounts = accounts
        self.isFollowed = isFollowed
        self.clock = clock
        self.logger = logger
        let (stream, continuation) = AsyncStream<Question>.makeStream(bufferingPolicy: .bufferingOldest(Self.waiting))
        questions = continuation
        worker.start { [weak self] in
            for await question in stream { await self?.ask(question) }
        }
    }

    /// Records a user's first login here, which has already read everything that the old server grants the user.
    func recordFirstLogin(of name: String) {
        _ = isDue(name)
    }

    /// Requests the user's access from the old server after a login here, if that is due.
    func recordLogin(of user: User, with credentials: UpstreamLogin.Credentials) {
        guard user.isOfUpstream, isDue(user.name) else { return }
        questions.yield(Question(name: user.name, credentials: credentials))
    }

    func close() async {
        questions.finish()
        await worker.stop()
    }

    /// Whether a request for a user is due. If so, records it as made.
    private func isDue(_ name: String) -> Bool {
        let now = clock.uptimeSeconds
        return state.withLock { state in
            guard now >= state.pause, now >= state.dueTimes[name] ?? 0 else { return false }
            if state.dueTimes.count >= Self.remembered { state.dueTimes = state.dueTimes.filter { $0.value > now } }
            guard state.dueTimes.count < Self.remembered else { return false }
            state.dueTimes[name] = now + Self.interval
            return true
        }
    }

    private func ask(_ question: Question) async {
        do {
            guard clock.uptimeSeconds >= state.withLock({ $0.pause }), try await isFollowed() else { return }
            let match = try await tokens.match(try await verifier.current(question.credentials))
            guard match.userName == question.name, !match.isNew else { return }
            _ = try await accounts.admit(match)
        } catch let error as LoginError where error.code == .unavailable {
            state.withLock { state in
                state.pause = clock.uptimeSeconds + Self.pause
                state.dueTimes[question.name] = nil
            }
        } catch let error as LoginError where error.code == .refused {
            guard case .basic = question.credentials else { return }
            logger.notice(
                """
                the old server refuses a login that this database has stored. To lock the user out, disable the user in this database; a new password \
                has to be set in this database, too
                """, metadata: ["user": "\(question.name)"])
        } catch {
            logger.error(
                "the channels of a user cannot be brought up to date", metadata: ["user": "\(question.name)", "error": "\(error)"])
        }
    }
}
