/// What a parameter, header, property or member says. A right value can be made of it, and one at its boundaries.
indirect enum Term: Sendable {
    case flag
    case number
    /// One of those.
    case choice([String])
    /// What is there, or was told: see ``Knowledge``.
    case known(Knowledge.Kind)
    /// Some, with commas.
    case list(Term)
    /// JSON, as text.
    case json(JSONShape)
    case text
}

/// What JSON looks like.
indirect enum JSONShape: Sendable {
    /// A string.
    case text(Term)
    /// A number or a flag.
    case plain(Term)
    /// An object; each member may be left out.
    case object(KeyValuePairs<String, JSONShape>)
    /// An object with keys of one kind.
    case map(Term, JSONShape)
    case array(JSONShape)
    /// An array in which each place means something.
    case tuple([JSONShape])
    /// A document's body.
    case document
    case anything
}
