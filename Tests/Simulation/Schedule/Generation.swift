import ModernProtocol

/// The protocol generation of a client.
enum Generation: Int, Sendable, CaseIterable {
    case first = 1
    case second, third, fourth

    func client(_ name: String) throws -> any SimulatedClient {
        switch self {
        case .first: SimulatedLegacyClient(name)
        case .second: ModernClient(name, self, TreeDatabase(.v2, try VersionMaker(name)))
        case .third: ModernClient(name, self, TreeDatabase(.v3, try VersionMaker(name)), collections: Subject.collections)
        case .fourth: ModernClient(name, self, try VersionDatabase(name), collections: Subject.collections)
        }
    }
}
