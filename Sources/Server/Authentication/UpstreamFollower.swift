import Access
import BridgeConfiguration
import Logging
import ReplicationService
import Synchronization

/// Follows the channels and roles that the old server gives to its users. Its administrators and documents change them as long as the fleet is there.
///
/// The questions carry the credentials of a user's last login here. They are asked one after the other, for each user at most once in ``interval``. No login
/// waits for the answer. Closed with ``close()``.
final class UpstreamFollower: Sendable {
    struct Question: Sendable {
        let name: String
        let credentials: UpstreamLogin.Credentials
    }

    private struct State {
        /// The time of each user's next question, in seconds.
        var rest: [String: Int64] = [:]
        /// The end of the pause after a question without an answer, in seconds.
        var pause: Int64 = 0
    }

    /// How long an answer is good for, and how long the old server is left alone that does not answer, in seconds.
    static let interval: Int64 = 300
    static let pause: Int64 = 30

    /// The most questions that wait, and the most users that are remembered. A further user's question waits for his next login.
    private static let waiting = 256
    private static let remembered = 100_000

    private let verifier: UpstreamVerifier
    private let tokens: TokenLogins
    private let accounts: Accounts
    private let isFollowed: @Sendable () async throws -> Bool
    private let clock: AccessClock
    private let logger: Logger
    private let state = Mutex(State())
    private let questions: AsyncStream<Question>.Continuation
    private let worker: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// - Parameter isFollowed: whether the old server still decides who sees what.
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
        let task = Task { [weak self] in
            for await question in stream { await self?.ask(question) }
        }
        worker.withLock { $0 = task }
    }

    /// Notes a user's first login here. It has brought everything that the old server gives him.
    func recordFirstLogin(of name: String) {
        _ = isDue(name)
    }

    /// Has the old server asked about a user after his login here, if that is due.
    func noteLogin(of user: User, with credentials: UpstreamLogin.Credentials) {
        guard user.isOfUpstream, isDue(user.name) else { return }
        questions.yield(Question(name: user.name, credentials: credentials))
    }

    func close() async {
        questions.finish()
        let task = worker.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// Whether the question about a user is due. If so, it counts as asked.
    private func isDue(_ name: String) -> Bool {
        let now = clock.uptimeSeconds
        return state.withLock { state in
            guard now >= state.pause, now >= state.rest[name] ?? 0 else { return false }
            if state.rest.count >= Self.remembered { state.rest = state.rest.filter { $0.value > now } }
            guard state.rest.count < Self.remembered else { return false }
            state.rest[name] = now + Self.interval
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
                state.rest[question.name] = nil
            }
        } catch let error as LoginError where error.code == .refused {
            guard case .basic = question.credentials else { return }
            logger.notice(
                """
                the old server refuses a login that is known here: if the user is not to come in any more, disable him here; a new password \
                has to be set here, too
                """, metadata: ["user": "\(question.name)"])
        } catch {
            logger.error(
                "the channels of a user cannot be brought up to date", metadata: ["user": "\(question.name)", "error": "\(error)"])
        }
    }
}
