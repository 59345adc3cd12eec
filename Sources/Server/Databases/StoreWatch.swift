import Coordination
import Logging
import Storage

/// Watches whether the server of a database's store can be reached.
///
/// A bridge that is cut off would serve clients from its memory, and keep their feeds waiting for changes that other bridges write. So the
/// database refuses requests and drops its clients until the store can be reached again. A store on this machine's disk is not watched.
final class StoreWatch: Sendable {
    /// The interval of the questions.
    private static let interval = Duration.seconds(1)

    /// The time without an answer after which the store counts as unreachable.
    private static let patience = Duration.seconds(6)

    private struct State {
        /// The time of the last answer; `nil` while the store is not watched.
        var lastAnswer: ContinuousClock.Instant?
        var isAsking = false
        var isFollowing = false
        var reason: String?

        /// `nil` before the first answer.
        var restores: RestoreHistory?
    }

    /// Asks the store; `nil` for a store that is not watched.
    private let question: (@Sendable () async throws -> News)?

    /// Ends the waits for the store that began before an instant, so that requests that have begun do not wait longer than new ones.
    private let endWaits: @Sendable (ContinuousClock.Instant) -> Void
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private let state = Lock(State())
    private let task = BackgroundTask()

    convenience init(_ store: any StoreEngine, logger: Logger) {
        let question: @Sendable () async throws -> News = {
            try await store.read { snapshot in
                News(
                    configuration: try snapshot.setting(DatabaseRegistry.setting),
                    stage: try CutoverJournal.followedStage(in: snapshot), devices: try snapshot.setting(DeviceJournal.setting),
                    restores: try snapshot.restores())
            }
        }
        self.init(asking: store.isShared ? question : nil, endWaits: store.endWaits(begunBefore:), logger: logger)
    }

    init(
        asking question: (@Sendable () async throws -> News)?, endWaits: @escaping @Sendable (ContinuousClock.Instant) -> Void = { _ in },
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, logger: Logger
    ) {
        self.question = question
        self.endWaits = endWaits
        self.clock = clock
        self.logger = logger
    }

    /// Whether the store cannot be reached.
    var isCutOff: Bool { reason != nil }

    /// The reason why the store cannot be reached; `nil` if it can. The time counts here, too: a process that was paused may get requests before
    /// the watch goes on.
    var reason: String? {
        let now = clock()
        return state.withLock { $0.reason ?? (Self.isLate($0, now) ? Self.silence : nil) }
    }

    private static let silence = "the server does not answer"

    private static func isLate(_ state: State, _ now: ContinuousClock.Instant) -> Bool {
        state.lastAnswer.map { now - $0 > patience } ?? false
    }

    /// The values of the store that other bridges change, and that each bridge keeps in memory.
    struct News: Equatable, Sendable {
        /// The configuration of a database created on the admin port.
        let configuration: String?

        /// The stage of the cutover.
        let stage: String?

        /// The rules for devices.
        let devices: String?

        /// The gaps in the store's sequences.
        var restores = RestoreHistory()
    }

    /// Starts the watch.
    ///
    /// - Parameters:
    ///   - change: called when the store is lost, with `true`, and when it is back.
    ///   - news: called with each answer of the store; `nil` if another bridge has put a new store in its place.
    func start(_ change: @escaping @Sendable (Bool) -> Void, news: @escaping @Sendable (News?) async -> Void) {
        guard let question else { return }
        state.withLock { $0.lastAnswer = clock() }
        task.start { [self] in
            while (try? await suspend(for: Self.interval)) != nil {
                ask(question, change, news)
                let now = clock()
                lose(Self.silence, change) { Self.isLate($0, now) }
                if state.withLock({ Self.isLate($0, now) }) { endWaits(now - Self.patience) }
            }
        }
    }

    func stop() async {
        await task.stop()
        state.withLock { $0.lastAnswer = nil }
    }

    /// Asks the store, unless an earlier question has no answer yet.
    private func ask(
        _ question: @escaping @Sendable () async throws -> News, _ change: @escaping @Sendable (Bool) -> Void,
        _ news: @escaping @Sendable (News?) async -> Void
    ) {
        guard
            state.withLock({ state in
                defer { state.isAsking = true }
                return !state.isAsking
            })
        else { return }
        Task {
            do {
                let found = try await question()
                find(change)
                compare(found.restores)
                follow(found, news)
            } catch let error as StorageError where error.code == .replaced {
                follow(nil, news)
            } catch let error as StorageError where error.isOfStore {
                if error.code != .closed { lose(error.message, change) { _ in true } }
            } catch {
                logger.error("the store's server cannot be asked", metadata: ["error": "\(error)"])
            }
            state.withLock { $0.isAsking = false }
        }
    }

    /// Passes the news on, unless earlier news is still being followed. The next answer repeats it.
    private func follow(_ found: News?, _ news: @escaping @Sendable (News?) async -> Void) {
        let isFree = state.withLock { state in
            defer { state.isFollowing = true }
            return !state.isFollowing
        }
        guard isFree else { return }
        Task {
            await news(found)
            state.withLock { $0.isFollowing = false }
        }
    }

    private func find(_ change: (Bool) -> Void) {
        let now = clock()
        let wasLost = state.withLock { state in
            defer { state.reason = nil }
            if state.lastAnswer != nil { state.lastAnswer = now }
            return state.reason != nil
        }
        guard wasLost else { return }
        logger.notice("the store can be reached again")
        change(false)
    }

    /// Tells operators that the store has a new gap.
    private func compare(_ restores: RestoreHistory) {
        let hasNew = state.withLock { state in
            defer { state.restores = restores }
            return state.restores.map { $0 != restores } ?? false
        }
        guard hasNew else { return }
        logger.warning(
            "the counter of changes was raised: a standby was promoted that may lack the last commits, or a backup was restored. Look for missing writes"
        )
    }

    private func lose(_ reason: String, _ change: (Bool) -> Void, if isDue: (State) -> Bool) {
        let isNew = state.withLock { state in
            guard state.reason == nil, isDue(state) else { return false }
            state.reason = reason
            return true
        }
        guard isNew else { return }
        logger.error("the store cannot be reached; requests are answered with 503 until it can", metadata: ["reason": "\(reason)"])
        change(true)
    }
}
