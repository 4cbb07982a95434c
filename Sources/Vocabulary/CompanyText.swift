// The company id of an advertisement as text, as in captures and in the files of sensors.

/// Four hex digits.
public func companyText(_ company: some BinaryInteger) -> String {
  let digits = String(company, radix: 16)
  return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}
