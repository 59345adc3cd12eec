import Coordination
import Cutover
import HTTP
import Logging

/// The changes after which devices are served here that were passed on before, as long as documents that they may have read at the old server are
/// still being pulled. The requests of these devices wait.
final class PendingMoves: Sendable {
    /// A change of sides.
    final class Move: Sendable {
        /// The rules before the change.
        let before: DeviceRules

        /// Opens when everything that the old server had at the change is here.
        let gate = FlowGate()

        init(before: DeviceRules) {
            self.before = before
            gate.close()
        }
    }

    private struct State {
        var moves: [Move] = []
        var waits: [ObjectIdentifier: Task<Void, Never>] = [:]
    }

    /// How long a request waits.
    private static let patience = Duration.seconds(10)

    private let catchUp: CatchUp
    private let logger: Logger
    private let state = Lock(State())

    init(_ catchUp: CatchUp, logger: Logger) {
        self.catchUp = catchUp
        self.logger = logger
    }

    /// Waits until the pull has the documents that a device has seen at the old server.
    ///
    /// - Parameter wasPassedOn: Whether the device was passed on by earlier rules.
    /// - Throws: ``RequestError`` `unavailable` if the pull takes long.
    func wait(_ wasPassedOn: (DeviceRules) async -> Bool) async throws(RequestError) {
        for move in state.withLock({ $0.moves }) where await wasPassedOn(move.before) {
            let passed: Void? = try? await withTimeout(Self.patience) { try await move.gate.pass() }
            guard passed != nil else {
                throw RequestError(
                    .unavailable, reason: "Documents that the device has read at the old server are still being copied; try again later.")
            }
        }
    }

    /// Waits until the pull has the documents of all changes, before the pull ends.
    func waitForAll() async {
        do {
            try await wait { _ in true }
        } catch {
            logger.warning("the pull ends before it has all documents of the old server; compare both servers before the next step")
        }
    }

    /// Registers a change of sides before it takes effect. ``finish(_:)`` has to follow.
    func begin(after before: DeviceRules) -> Move {
        let move = Move(before: before)
        state.withLock { $0.moves.append(move) }
        return move
    }

    /// Asks the old server what the pull has to have, once the devices' connections there have ended, and lets the devices in when it has it.
    func finish(_ move: Move) {
        state.withLock { state in
            state.waits[ObjectIdentifier(move)] = Task.detached { [self] in
                do {
                    try await catchUp.wait(logger)
                } catch {
                    logger.warning(
                        "moved devices no longer wait for the pull, and may miss documents that they have read at the old server",
                        metadata: ["error": "\(error)"])
                }
                move.gate.open()
                self.state.withLock { state in
                    state.moves.removeAll { $0 === move }
                    state.waits[ObjectIdentifier(move)] = nil
                }
            }
        }
    }

    /// Ends the waiting. Requests that wait are refused.
    func close() async {
        let waits = state.withLock { Array($0.waits.values) }
        for wait in waits { wait.cancel() }
        for wait in waits { await wait.value }
    }
}
