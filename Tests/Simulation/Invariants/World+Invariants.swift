extension World {
    /// Checks the invariants after all clients and servers have replicated until nothing was transferred.
    ///
    /// - Throws: ``Violation``.
    func checkInvariants() async throws {
        try await checkConvergence()
        try await checkBridges()
        try await checkDurability()
        try await checkLineage()
        try await checkNothingIsParked()
        if let repetition = ledger.repetitions.first {
            throw Violation(
                invariant: .economy, detail: "\(repetition.place) \(repetition.revision) was sent to \(repetition.client), which had it")
        }
        if let needless = ledger.needless.first {
            throw Violation(
                invariant: .economy,
                detail: "\(needless.place) \(needless.revision) was asked of \(needless.client), which had not changed it")
        }
        if let alteration = ledger.alterations.first { throw Violation(invariant: .identity, detail: alteration) }
        if let leak = ledger.leaks.first { throw Violation(invariant: .privacy, detail: leak) }
        if let conflict = ledger.falseConflicts.first {
            throw Violation(invariant: .lineage, detail: "a conflict without an edit: \(conflict)")
        }
        let traffic = try await round()
        guard traffic.isQuiet else { throw Violation(invariant: .quiet, detail: "an idle round transfers: \(traffic)") }
    }
}
