import Gateway

extension DatabaseLimits {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(
            ["documentSize", "attachmentSize", "revisionDepth", "protectedDepth", "protectionDays", "recentBodies", "upstreamSequences"])
        members["documentSize"]?.read { documentSize = try $0.size(in: 1...(1 << 30)) }
        members["attachmentSize"]?.read { attachmentSize = Int64(try $0.size(in: 0...(1 << 40))) }
        members["revisionDepth"]?.read { revisionDepth = try $0.int(in: 20...10_000) }
        protectedDepth = max(protectedDepth, revisionDepth)
        members["protectedDepth"]?.read { protectedDepth = try $0.int(in: revisionDepth...100_000) }
        members["protectionDays"]?.read { protectionDays = try $0.int(in: 0...36_500) }
        members["upstreamSequences"]?.read { upstreamSequences = try $0.int(in: 10_000...1_000_000_000) }
        members["recentBodies"]?.read { recentBodies = try $0.int(in: 0...1000) }
    }
}
