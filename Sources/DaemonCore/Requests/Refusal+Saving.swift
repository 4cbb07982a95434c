// Refuses a request whose change cannot be saved.

import Linux
import Wire

func saving<Value>(_ save: () throws(SystemError) -> Value) throws(Refusal) -> Value {
  do throws(SystemError) {
    return try save()
  } catch {
    throw Refusal(.internal, "cannot save the change: \(error)")
  }
}
