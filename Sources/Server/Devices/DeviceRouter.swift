import Access
import Coordination
import Cutover
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore
import PassThrough

/// Decides for each request to the public port whether the bridge serves it or passes it on to the old server, while the cutover's stage has an
/// old server that clients may use.
///
/// - At `shadow` everything is passed on; at `dual` the ``DeviceRules`` decide; later nothing is passed on.
/// - Logins are passed on as well at `dual`: the old server's sessions are valid on both sides, so nobody has to log in again when moved.
/// - When the rules or the stage change, the open feeds and WebSockets of the devices that change sides end, and the devices connect again.
final class DeviceRouter: Sendable {
    /// The decision for a request.
    struct Choice: Sendable {
        let side: DeviceSide

        /// `nil` if the device is not known, or if the stage has no old server.
        let device: DeviceIdentity?

        /// Raised when the device changes sides.
        let moved: StopSignal

        /// Raised at the end of the stage.
        let stageEnd: StopSignal
    }

    private struct Key: Hashable {
        let device: DeviceIdentity
        let side: DeviceSide
    }

    private struct Entry {
        weak var signal: StopSignal?
    }

    private struct State {
        var stage: CutoverStage
        var rules: DeviceRules
        /// The time of the last change of stage or rules, by the clock of the figures.
        var time: Int64 = 0
        /// Incremented by each change of stage or rules.
        var version = 0
        /// Raised at the end of the stage.
        var stageEnd = StopSignal()
        var entries: [Key: Entry] = [:]
        /// The number of entries above which entries of closed connections are removed.
        var tidying = 64
    }

    let server: OldServer
    let client: PassThroughClient
    let figures: DeviceFigures

    /// Compares reads that are passed on with the bridge's own; `nil` if none is compared.
    let comparer: ReadComparer?
    private let identifier: DeviceIdentifier
    private let pendingMoves: PendingMoves?
    private let state: Lock<State>

    /// - Parameter pendingMoves: `nil` if nothing is pulled from the old server.
    init(
        _ server: OldServer, client: PassThroughClient, identifier: DeviceIdentifier, rules: DeviceRules, stage: CutoverStage,
        figures: DeviceFigures, comparer: ReadComparer? = nil, pendingMoves: PendingMoves?
    ) {
        self.server = server
        self.client = client
        self.identifier = identifier
        self.figures = figures
        self.comparer = comparer
        self.pendingMoves = pendingMoves
        state = Lock(State(stage: stage, rules: rules))
    }

    var rules: DeviceRules { state.withLock { $0.rules } }

    /// The time of the last change of stage or rules, by the clock of the figures.
    var rulesTime: Int64 { state.withLock { $0.time } }

    /// Whether requests are passed on at the current stage.
    var isActive: Bool { state.withLock { $0.stage.pullsFromLegacy } }

    /// Raised at the end of the present stage.
    var stageEnd: StopSignal { state.withLock { $0.stageEnd } }

    /// Ends the sessions here that a request names, after the old server has ended them.
    func endSessions(of request: Request) async throws {
        try await identifier.endSessions(of: request)
    }

    /// The decision for a request.
    ///
    /// - Parameter isLogin: Whether the request begins or ends a session.
    /// - Throws: ``RequestError`` `unavailable` if the user is not known here, and the old server cannot be asked now, or if documents that the
    ///   device has read there are not copied yet.
    func choose(_ request: Request, _ info: RequestInfo, isLogin: Bool) async throws(RequestError) -> Choice {
        while true {
            let (stage, rules, end, version) = state.withLock { ($0.stage, $0.rules, $0.stageEnd, $0.version) }
            guard stage.pullsFromLegacy else {
                try await pendingMoves?.wait { _ in true }
                return Choice(side: .here, device: nil, moved: end, stageEnd: end)
            }
            // The device is found also without rules: its connections may have to end with the first rule.
            guard stage == .dual, !isLogin else {
                return Choice(side: .oldServer, device: identifier.knownDevice(of: request, info), moved: end, stageEnd: end)
            }
            let device = try await identifier.device(of: request, info)
            let side = await side(of: device, by: rules)
            if side == .here, let pendingMoves {
                try await pendingMoves.wait { before in await self.side(of: device, by: before) == .oldServer }
            }
            let moved = signal(Key(device: device, side: side))
            // A change in the meantime may not have found the signal.
            if state.withLock({ $0.version == version }) { return Choice(side: side, device: device, moved: moved, stageEnd: end) }
        }
    }

    /// The side of a device at present; `nil` if the stage has no old server.
    func side(of device: DeviceIdentity) async -> DeviceSide? {
        let (stage, rules) = state.withLock { ($0.stage, $0.rules) }
        guard stage.pullsFromLegacy else { return nil }
        return stage == .dual ? await side(of: device, by: rules) : .oldServer
    }

    /// The side of a client of the fleet at present; `nil` for a bridge's own replication, or if the stage has no old server.
    func side(of client: FleetClient) async -> DeviceSide? {
        guard client.generation > 0 else { return nil }
        // The old server has no collections.
        if isActive, client.feeds.contains(where: { $0.collection != nil }) { return .here }
        guard client.user.isEmpty else { return await side(of: .user(client.user)) }
        let address = client.lastAddress?.prefix { $0 != "/" }
        return await side(of: .address(address.flatMap { try? SocketAddress(ipAddress: String($0), port: 0) }))
    }

    private func side(of device: DeviceIdentity, by rules: DeviceRules) async -> DeviceSide {
        let granted = rules.channels.isEmpty ? [] : await identifier.channels(of: device)
        return rules.moves(device, channels: granted) ? .here : .oldServer
    }

    private func signal(_ key: Key) -> StopSignal {
        state.withLock { state in
            if let signal = state.entries[key]?.signal { return signal }
            let signal = StopSignal()
            state.entries[key] = Entry(signal: signal)
            if state.entries.count > state.tidying {
                state.entries = state.entries.filter { $0.value.signal != nil }
                state.tidying = max(64, state.entries.count * 2)
            }
            return signal
        }
    }

    /// Applies other rules, and ends the connections of the devices that change sides. Calls must not overlap.
    func apply(_ rules: DeviceRules) async {
        figures.split()
        let (earlier, stage) = state.withLock { ($0.rules, $0.stage) }
        let move = stage == .dual && earlier.movesBack(from: rules) ? pendingMoves?.begin(after: earlier) : nil
        defer { if let move { pendingMoves?.finish(move) } }
        let known = state.withLock { state in
            (state.rules, state.time, state.version) = (rules, figures.now, state.version + 1)
            return Array(state.entries.keys)
        }
        var moved: [Key] = []
        for key in known where await side(of: key.device, by: rules) != key.side { moved.append(key) }
        let ended = state.withLock { state in moved.compactMap { state.entries.removeValue(forKey: $0)?.signal } }
        for signal in ended { signal.raise() }
    }

    /// Enters another stage. All connections that depend on the choice end.
    ///
    /// After a step to a stage that does not pull from the old server, ``waitForPull()`` has to follow before the pull ends.
    func enter(_ stage: CutoverStage) {
        figures.split()
        let (earlier, rules) = state.withLock { ($0.stage, $0.rules) }
        let isLast = earlier.pullsFromLegacy && !stage.pullsFromLegacy
        let before = stage == .dual && !rules.isEmpty ? DeviceRules() : isLast ? rules : nil
        let move = before.flatMap { pendingMoves?.begin(after: $0) }
        defer { if let move { pendingMoves?.finish(move) } }
        let ended = state.withLock { state in
            defer { (state.stage, state.stageEnd, state.time, state.version) = (stage, StopSignal(), figures.now, state.version + 1) }
            return state.stageEnd
        }
        ended.raise()
    }

    /// Waits until the pull has what the devices that were moved lately have written at the old server.
    func waitForPull() async {
        await pendingMoves?.waitForAll()
    }

    func close() async {
        await pendingMoves?.close()
        await comparer?.close()
        await client.close()
    }
}
