/// What a client knows of the protocol.
enum Generation: Int, Sendable, CaseIterable {
    case first = 1
    case second, third

    func client(_ name: String) -> any SimulatedClient {
        switch self {
        case .first: LegacyClient(name)
        case .second: ModernClient(name)
        case .third: ModernClient(name, collections: Subject.collections)
        }
    }
}
