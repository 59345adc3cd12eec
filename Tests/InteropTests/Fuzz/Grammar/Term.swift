/// The set of values of a parameter, header, property or member. It has valid values, and values at the boundaries.
indirect enum Term: Sendable {
    case flag
    case number
    /// One of the values.
    case choice([String])
    /// A known name: see ``Knowledge``.
    case known(Knowledge.Kind)
    /// Several values, separated by commas.
    case list(Term)
    /// JSON, as text.
    case json(JSONShape)
    case text
}

/// The shape of a JSON value.
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
