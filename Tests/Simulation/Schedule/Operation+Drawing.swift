import Cutover
import TestSupport

extension Operation {
    static func drawn(_ devices: [Device], _ upstreams: Set<Upstream>, from generator: inout SeededGenerator) -> Operation {
        let client = Int.random(in: devices.indices, using: &generator)
        switch Int.random(in: 0..<134, using: &generator) {
        case ..<44: return .edit(client: client, subject: Int.random(in: Subject.all.indices, using: &generator), .drawn(from: &generator))
        case ..<71: return .replicate(client: client, .drawn(from: &generator), .drawn(from: &generator))
        case ..<87:
            guard let upstream = Upstream.allCases.filter(upstreams.contains).randomElement(using: &generator) else {
                return .replicate(client: client, .both, nil)
            }
            let refusal = generator.once(in: 2) ? Refusal(remainder: Int.random(in: 0..<Refusal.divisor, using: &generator)) : nil
            let (direction, fault) = (Direction.drawn(from: &generator), Fault.drawn(from: &generator))
            return refusal.map { .refuse(upstream, $0, direction, fault) } ?? .replicateUpstream(upstream, direction, fault)
        case ..<88: return .tryAgain
        case ..<90: return .repoint(client: client)
        case ..<93: return .clock(hours: Int.random(in: -12...96, using: &generator))
        case ..<94: return .forget(client: client)
        case ..<95: return .restart
        case ..<99: return .migrate
        case ..<103: return .revert
        case ..<108: return regrant(devices, from: &generator) ?? .restart
        case ..<113: return .backUp(.drawn(upstreams, from: &generator))
        case ..<117: return .restore(.drawn(upstreams, from: &generator))
        case ..<128:
            guard upstreams.contains(.legacy) else { return .restart }
            return .trouble(.drawn(from: &generator), .drawn(from: &generator))
        default: return .step(Bool.random(using: &generator) ? .advance : .reverse)
        }
    }

    /// A step of a device that moves between the old server and the bridge.
    static func drawn(forMoved client: Int, from generator: inout SeededGenerator) -> Operation {
        switch Int.random(in: 0..<16, using: &generator) {
        case ..<5: .edit(client: client, subject: Int.random(in: Subject.all.indices, using: &generator), .drawn(from: &generator))
        case ..<11: .replicate(client: client, .drawn(from: &generator), .drawn(from: &generator))
        case ..<15: .repoint(client: client)
        default: .forget(client: client)
        }
    }

    /// `nil` for full access of all users.
    private static func regrant(_ devices: [Device], from generator: inout SeededGenerator) -> Operation? {
        let limited = devices.indices.filter { devices[$0].channels != nil }
        guard let client = limited.randomElement(using: &generator) else { return nil }
        let position = Bool.random(using: &generator) ? Int.random(in: 0..<12, using: &generator) : nil
        return .regrant(client: client, .drawn(from: &generator), during: position)
    }
}

extension Server {
    fileprivate static func drawn(_ upstreams: Set<Upstream>, from generator: inout SeededGenerator) -> Server {
        var servers = [Server.bridge]
        if upstreams.contains(.legacy) { servers.append(.legacy) }
        if upstreams.contains(.modern) { servers.append(.modern) }
        return servers.randomElement(using: &generator) ?? .bridge
    }
}

extension Trouble {
    fileprivate static func drawn(from generator: inout SeededGenerator) -> Trouble {
        // Half of the replications with little data have few messages.
        let position = Int.random(in: 0..<7, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            let status = [200, 400, 401, 403, 404, 405, 410, 413, 415].randomElement(using: &generator) ?? 404
            return .proxy(status: status, count: Int.random(in: 1...8, using: &generator), before: position)
        case 1: return .sessionEnds(before: position)
        default: return .restored(before: position)
        }
    }
}

extension Set<String> {
    /// Some of the channels.
    static func drawn(from generator: inout SeededGenerator) -> Self {
        Self(Content.channels.filter { _ in !generator.once(in: 3) })
    }
}

extension Edit {
    fileprivate static func drawn(from generator: inout SeededGenerator) -> Edit {
        // Sometimes few numbers, so that two clients make the same change.
        let number = Int.random(in: 0..<(generator.once(in: 6) ? 3 : 10_000), using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case ..<11: return .write(number: number, hasPhoto: generator.once(in: 4))
        case ..<15: return .delete
        case ..<18: return .branch(number: number)
        default: return .resolve(number: number)
        }
    }
}

extension Direction {
    fileprivate static func drawn(from generator: inout SeededGenerator) -> Direction {
        generator.once(in: 3) ? allCases.randomElement(using: &generator) ?? .both : .both
    }
}

extension Fault {
    static func drawn(of kinds: [Kind], from generator: inout SeededGenerator) -> Fault {
        let kind = kinds.randomElement(using: &generator) ?? .lost
        let isAtCommit = Fault(kind: kind, position: 0).isAtCommit
        return Fault(kind: kind, position: Int.random(in: 0..<(isAtCommit ? 4 : 16), using: &generator))
    }

    fileprivate static func drawn(from generator: inout SeededGenerator) -> Fault? {
        guard !generator.once(in: 2) else { return nil }
        return .drawn(of: Kind.ofFiles, from: &generator)
    }
}
