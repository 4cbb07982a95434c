// Members by the names of the vocabulary.

public import JSON
public import Vocabulary

extension JSONValue {
  public subscript(field: Field) -> JSONValue? { self[field.name.description] }
  public subscript(setting: Setting) -> JSONValue? { self[setting.key] }
}
