package import Gateway

/// Reports of moves within a store.
extension MigrationReport {
    /// Report of a move into collections, or of its dry run.
    package init(_ summary: MoveSummary, run: ReportRun) {
        self.init(run: run)
        for (name, tally) in summary.moved {
            count(in: name.description) {
                $0.add(tally)
                $0.written = ReportOutcome(documents: tally.documents, examples: tally.examples)
            }
        }
        count(in: CollectionName.default.description) {
            $0.add(summary.unmatched)
            $0.add(summary.clashes)
            $0.unmatched = ReportOutcome(documents: summary.unmatched.documents, examples: summary.unmatched.examples)
            $0.clashes = ReportOutcome(documents: summary.clashes.documents, examples: summary.clashes.examples)
        }
        self.run.expectedDocuments = summary.examined
        addMessage(refused: summary.refused.documents, examples: summary.refused.examples)
    }

    /// Report of a revert.
    package init(_ summary: RevertSummary, run: ReportRun) {
        self.init(run: run)
        count(in: CollectionName.default.description) {
            $0.documents = summary.documents
            $0.written = ReportOutcome(documents: summary.documents, examples: [])
        }
        addMessage(refused: summary.refused, examples: [])
    }

    private mutating func addMessage(refused: Int, examples: [String]) {
        guard refused > 0 else { return }
        let named = examples.isEmpty ? "" : ": \(examples.joined(separator: ", "))"
        run.message = "the sync function refused \(refused) documents, which keep the channels that they had\(named)"
    }
}

extension ReportCollection {
    fileprivate mutating func add(_ tally: MoveTally) {
        documents += tally.documents
        tombstones += tally.tombstones
        conflicts += tally.conflicts
        attachments += tally.attachments
        bytes += tally.bytes
    }
}
