/// Which of the two ports a request came in by.
enum PortKind: Sendable {
    /// For clients: everybody is checked.
    case `public`

    /// For operators: everything is allowed. It listens on loopback unless the configuration says otherwise.
    case admin
}
