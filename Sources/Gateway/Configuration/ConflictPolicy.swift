/// What happens to a replicated revision that does not descend from the winner.
public enum ConflictPolicy: String, Sendable, CaseIterable {
    /// It becomes a branch, as 1.x expects.
    case keep
    /// It becomes a branch, and the losing branches are closed by tombstones at once.
    case resolve
    /// It is refused with 409, as Sync Gateway does with `allow_conflicts: false`.
    case refuse
}
