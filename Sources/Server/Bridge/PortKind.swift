/// Which of the two ports a request came in by.
enum PortKind: Sendable {
    /// For clients: everybody is checked.
    case `public`

    /// For those who run the bridge: everything is allowed, or what their roles say. It listens on loopback unless the configuration says otherwise.
    case admin
}
