/// What becomes of a configuration where it says other things than the store over which a database is opened.
public enum ConfigurationUse: Sendable {
    /// It holds: its collections, functions and visibility become the store's, and its routes and rules are kept there for commands. What a
    /// bridge serves is opened so.
    case applied

    /// What it says of collections and functions is added to the store. Visibility stays as it is. Commands that write open a store so.
    case added

    /// It is tried out in memory, and nothing of it is written.
    case tried
}
