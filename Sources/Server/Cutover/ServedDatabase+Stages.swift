import Cutover

extension ServerConfiguration.ServedDatabase {
    /// The replications as they go at a stage: that with the old server goes the stage's way, or not at all.
    func replications(at stage: CutoverStage?) -> [String: ReplicationDefinition] {
        guard let cutover, let stage, let legacy = replications[cutover.legacy] else { return replications }
        var directed = replications
        directed[cutover.legacy] = stage.direction.map { legacy.directed($0) }
        return directed
    }
}

extension CutoverStage {
    /// Which way documents go between the database and its old server; `nil` for none.
    var direction: ReplicationDirection? {
        switch (pullsFromLegacy, pushesToLegacy) {
        case (true, true): .pushAndPull
        case (true, false): .pull
        case (false, true): .push
        case (false, false): nil
        }
    }
}

extension ReplicationDefinition {
    /// The same in another direction, without a filter that is none of that direction's: a 1.x server's own filter is of pulls, a function that is
    /// called here is of pushes.
    func directed(_ direction: ReplicationDirection) -> ReplicationDefinition {
        var definition = self
        definition.direction = direction
        guard target.isLegacy else { return definition }
        switch (filter?.function, direction) {
        case (.named, .push), (.javaScript, .pull): definition.filter = nil
        default: break
        }
        return definition
    }
}
