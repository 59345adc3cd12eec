/// What a 2.x+ client speaks.
enum Dialect: String, CaseIterable {
    case second = "2.x"
    case third = "3.x"
    case fourth = "4.x"

    var subprotocol: String {
        switch self {
        case .second: "BLIP_3+CBMobile_2"
        case .third: "BLIP_3+CBMobile_3"
        case .fourth: "BLIP_3+CBMobile_4"
        }
    }
}
