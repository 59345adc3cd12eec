import HTTP

extension Query {
    /// Whether something is asked for in addition. As with Sync Gateway, a value that nobody understands does not ask for it.
    ///
    /// What would make an answer another one, or larger, if it were misread is read by ``bool(_:)`` instead, which refuses it.
    func flag(_ name: String) -> Bool {
        (try? bool(name)) ?? false
    }
}
