import Documents

extension RouteTable.Rule {
    func matches(_ subject: RouteSubject, index: Int) -> Bool {
        // Design documents belong to the database.
        guard !DocumentID.isDesign(subject.id) else { return false }
        return switch route.condition {
        case .property(let name, let value):
            value.equals(DocumentBody.property(named: name, in: subject.body))
        case .idPrefix(let prefix):
            subject.id.utf8.starts(with: prefix.utf8)
        case .idPattern:
            pattern?.isFound(in: subject.id) ?? false
        case .channel(let channel):
            subject.channels.contains(channel)
        case .javaScript:
            subject.verdicts[index] ?? false
        }
    }
}
