extension SoakReport {
    /// Descriptions of the violated bounds; empty after a good run.
    package var breaches: [String] {
        processBreaches + dataBreaches + waitBreaches + memoryBreaches
    }

    private var processBreaches: [String] {
        var found = unexpectedExits.map { "the bridge's process ended unexpectedly: \($0)" }
        if exitCode != 0 { found.append("the bridge ended with \(exitCode) after SIGTERM") }
        if ending > bounds.ending { found.append("the bridge took \(ending.seconds) s to end after SIGTERM") }
        if leftDescriptors > bounds.descriptors {
            found.append("\(leftDescriptors) more descriptors are open than before the clients connected")
        }
        return found
    }

    private var dataBreaches: [String] {
        var found: [String] = []
        if checkCode != 0 { found.append("dualgauge check ends with \(checkCode)") }
        if acknowledged == 0 { found.append("no edit was acknowledged") }
        if !lost.isEmpty {
            found.append("\(lost.count) documents differ from their acknowledged state: \(lost.prefix(5).joined(separator: "; "))")
        }
        if !repeated.isEmpty {
            found.append("\(repeated.count) documents are in the feed twice: \(repeated.prefix(5).joined(separator: "; "))")
        }
        if !unread.isEmpty {
            found.append("\(unread.count) documents did not reach their clients: \(unread.prefix(5).joined(separator: "; "))")
        }
        return found
    }

    private var waitBreaches: [String] {
        rows.flatMap { row -> [String] in
            let place = row.trouble.map { "during the trouble \($0.rawValue)" } ?? "without trouble"
            var found: [String] = []
            let (reads, writes) = (row.reads, row.writes)
            if row.trouble == nil {
                if reads.refusals > 0 { found.append("\(reads.refusals) GETs were not answered \(place)") }
                if reads.waits.below(percent: 99) > bounds.read { found.append("GETs are slow \(place)") }
                if writes.waits.below(percent: 99) > bounds.write { found.append("writes are slow \(place)") }
            }
            if row.trouble?.suspendsRequests != true, reads.waits.worst > bounds.worstRead {
                found.append("a GET took \(reads.waits.worst.seconds) s \(place)")
            }
            return found
        }
    }

    private var memoryBreaches: [String] {
        var found: [String] = []
        if memory > bounds.memory { found.append("\(memory) MiB were resident, more than \(bounds.memory)") }
        if Double(memoryLast) > Double(memoryThen) * (1 + bounds.growth) {
            found.append("memory grows: from \(memoryThen) MiB to \(memoryLast)")
        }
        if account > accountLimit { found.append("the memory of clients' data exceeded its limit") }
        return found
    }
}
