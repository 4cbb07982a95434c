// A request whose reply has not arrived yet.

public import JSON
public import Wire

public struct Pending<Reply: Sendable>: Sendable {
  /// The `id` of the reply.
  public let number: Int
  private let method: Method

  public init(_ number: Int, _ query: Query<Reply>) {
    self.number = number
    method = query.call.method
  }

  /// What the result of the reply says.
  public func reply(_ result: JSONValue) throws(ClientError) -> Received<Reply> where Reply: WireObject {
    guard let received = Received<Reply>(result) else {
      throw .notUnderstood("the daemon's reply to \(method.rawValue) lacks a member that it must have")
    }
    return received
  }
}
