/// What happens to the bridge from outside while clients are at it.
package enum Trouble: String, Sendable, CaseIterable {
    /// Files cannot grow.
    case full

    /// Files cannot be changed.
    case readOnly

    /// A flush to the disk takes half a second.
    case slow

    /// The process may open hardly more files than it has.
    case files

    /// The clock goes back by a day and forth by two.
    case clock

    /// The process is killed, and started again.
    case killed
}
