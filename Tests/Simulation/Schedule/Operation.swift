import Cutover

/// One step of a simulation. It is complete, so that a trace with steps left out is still valid.
enum Operation: Hashable, Sendable {
    /// A user edits a document on a device.
    case edit(client: Int, subject: Int, Edit)

    /// A device replicates once, possibly with a fault.
    case replicate(client: Int, Direction, Fault?)

    /// The bridge replicates once with an upstream, possibly with a fault.
    case replicateUpstream(Upstream, Direction, Fault?)

    /// The bridge replicates once with an upstream that refuses some revisions, possibly with a fault.
    case refuse(Upstream, Refusal, Direction, Fault?)

    /// The bridge replicates once with the legacy upstream, during an event of the upstream.
    case trouble(Trouble, Direction)

    /// The revisions that upstreams have refused are retried.
    case tryAgain

    /// A client gets other channels: while it is offline, or before a message of a replication.
    case regrant(client: Int, Set<String>, during: Int?)

    /// Access changes in another way.
    case access(AccessStep)

    /// A backup is made of a server, or a server is restored from its latest backup.
    case backUp(Server)
    case restore(Server)

    /// An asynchronous standby of the bridges' PostgreSQL stops receiving commits, or is promoted.
    case detachStandby
    case promote

    /// The cutover goes to another stage, and the invariants are checked there.
    case step(CutoverAction)

    /// A device on the old server, of 1.x or without collections, moves to the bridge, or back, and keeps its checkpoints.
    case repoint(client: Int)

    /// Some hours pass, or the clock is set back; expired documents are deleted.
    case clock(hours: Int)

    /// A step of a device or its app.
    case device(client: Int, DeviceStep)

    /// A device loses its checkpoints.
    case forget(client: Int)

    /// The bridge stops in order and starts again.
    case restart

    /// The bridge gets its routes, if it has none, and documents are moved.
    case migrate

    /// The documents are moved back, and the routes are removed.
    case revert

    /// The load balancer passes a client's next replications to these bridges.
    case balance(client: Int, Balance)

    /// The bridges that have crashed are started again.
    case revive

    /// A bridge stops in order and starts again, while the other one runs.
    case restartOne(bridge: Int)

    /// The bridge that replicates with an upstream is stopped in the middle; the other one takes the work over; the first one goes on.
    case takeOver(Upstream, Direction, Stop)

    /// Documents are moved into collections. After some steps the bridge is stopped; the other one takes the moves over; the first one goes on.
    case migrateInTurns(after: Int)

    /// A client's feed waits at a bridge, and another client writes at the other bridge.
    case follow(client: Int, writer: Int, bridge: Int, subject: Int, number: Int)
}

extension Operation: CustomStringConvertible {
    var description: String {
        switch self {
        case .edit(let client, let subject, let edit): "client \(client) \(edit) \(Subject.all[subject])"
        case .replicate(let client, let direction, let fault):
            "client \(client) replicates (\(direction.rawValue))\(fault.map { "; \($0)" } ?? "")"
        case .replicateUpstream(let upstream, let direction, let fault):
            "the bridge replicates with the \(upstream.rawValue) upstream (\(direction.rawValue))\(fault.map { "; \($0)" } ?? "")"
        case .refuse(let upstream, let refusal, let direction, let fault):
            "the bridge replicates with the \(upstream.rawValue) upstream (\(direction.rawValue)); \(refusal)\(fault.map { "; \($0)" } ?? "")"
        case .trouble(let trouble, let direction): "the bridge replicates with the legacy upstream (\(direction.rawValue)); \(trouble)"
        case .tryAgain: "what is parked is tried again"
        case .regrant(let client, let channels, let position):
            "client \(client) may see \(channels.isEmpty ? "nothing" : channels.sorted().joined(separator: ", "))"
                + (position.map { ", before message \($0) of a replication" } ?? "")
        case .access(let step): "\(step)"
        case .backUp(let server): "a backup is made of \(server)"
        case .restore(let server): "\(server) is restored from its backup"
        case .detachStandby: "the standby receives no more commits"
        case .promote: "the standby is promoted"
        case .step(let action): "the cutover goes \(action == .advance ? "forward" : "back")"
        case .repoint(let client): "client \(client) is sent to the other server"
        case .clock(let hours): "the clock goes \(hours < 0 ? "back" : "forward") by \(abs(hours)) h"
        case .device(let client, let step): step.description(of: client)
        case .forget(let client): "client \(client) forgets its checkpoints"
        case .restart: "the bridge is restarted"
        case .migrate: "documents are moved into collections"
        case .revert: "documents are moved back"
        case .balance(let client, let balance): "client \(client) is passed to \(balance)"
        case .revive: "the dead bridges are started again"
        case .restartOne(let bridge): "bridge \(bridge) is restarted"
        case .takeOver(let upstream, let direction, let stop):
            "the bridge with the lease is stopped \(stop) of a replication with the \(upstream.rawValue) upstream (\(direction.rawValue))"
        case .migrateInTurns(let count):
            "documents are moved into collections, and the bridge with the lease is stopped after \(count) steps"
        case .follow(let client, let writer, let bridge, let subject, let number):
            "client \(client) waits at bridge \(bridge) while client \(writer) writes \(number) into \(Subject.all[subject]) at the other one"
        }
    }
}
