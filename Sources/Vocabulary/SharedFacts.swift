// Facts that more than one plugin reports, or that a client looks at.

extension Field {
  @inlinable public static var firmware: Field { Field("firmware") }
  @inlinable public static var hardware: Field { Field("hardware") }
  @inlinable public static var software: Field { Field("software") }
  /// Whether it counts turns of a wheel, or of the crank.
  @inlinable public static var wheelRevolutionData: Field { Field("wheel_revolution_data") }
  @inlinable public static var crankRevolutionData: Field { Field("crank_revolution_data") }
  /// Whether a power meter is one of two.
  @inlinable public static var distributedSystem: Field { Field("distributed_system") }
  /// Found by the daemon, by comparison with the position.
  @inlinable public static var measuredCircumferenceMM: Field { Field("measured_circumference_mm") }
}
