/// What a source has at one place: a document, or something that should have been one.
public enum SourceItem: Sendable {
    case document(SourceDocument)
    case fault(SourceFault)
}
