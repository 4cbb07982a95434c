// What doctor learns from a service that did not answer. The services share it.

import CyclometerClient

protocol ServiceContact {
  static var absent: Self { get }
  static func notAllowed(path: String) -> Self
  static func silent(reason: String) -> Self
}

extension ServiceContact {
  static func failed(_ error: ClientError) -> Self {
    switch error {
    case .noDaemon: absent
    case .notAllowed(let path): notAllowed(path: path)
    case .timeout: silent(reason: "it does not answer")
    case .closed: silent(reason: "it closed the connection")
    default: silent(reason: error.description)
    }
  }
}
