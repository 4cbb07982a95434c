# The running cadence, computed with exact fractions, as a table for Tests/GuidanceTests. Run by hand:
# python3 Tests/Guidance/cadence.py > Tests/GuidanceTests/CadenceReference.swift

from fractions import Fraction


def between(value, low, high):
    return sorted((low, value, high))[1]


def cadence(speed, height):
    rate = between(170 + 8 * (speed - 3), Fraction(155), Fraction(195))
    if height is not None:
        leg = Fraction(53, 100) * height
        step = 60 * speed / rate
        if step < Fraction(7, 10) * leg:  # fewer and longer steps
            rate = max(rate - 5, 60 * speed / (Fraction(7, 10) * leg))
        elif step > Fraction(13, 10) * leg:
            rate = min(rate + 5, 60 * speed / (Fraction(13, 10) * leg))
    return between(rate, Fraction(155), Fraction(195))


print("// Made by Tests/Guidance/cadence.py: speed in m/s, height in metres (0: unknown), steps per minute.")
print()
print("let cadenceReference: [(speed: Double, height: Double, cadence: Double)] = [")
for tenths in range(15, 61, 5):
    speed = Fraction(tenths, 10)
    row = []
    for centimetres in (0, 150, 160, 170, 180, 190, 200):
        height = Fraction(centimetres, 100) if centimetres else None
        row.append(f"({float(speed):.1f}, {centimetres / 100:.1f}, {float(cadence(speed, height)):.4f})")
    print("  " + ", ".join(row[:4]) + ",")
    print("  " + ", ".join(row[4:]) + ",")
print("]")
