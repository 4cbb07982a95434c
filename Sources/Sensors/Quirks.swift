// The devices that bend the rules of their profile so that a decoder has to know them. Each entry has a capture, which
// decodes otherwise without it. Deviations that are decoded for every sensor alike have none: packets that come several
// times and late (Stages), a count that moves at a frozen clock (SRM), packets cut at the default MTU (Matrix, Mr Captain),
// a cadence without its flag (Life Fitness), a rate of 0 where no strap is paired (Zwift Hub).

public import SensorKit

public let knownQuirks: [Quirk] = [
  Quirk(
    "Wahoo CADENCE (WFPODCAD2)", [DeviceMark(name: "Wahoo CADENCE")], .wheelIsCrank,
    habit: "its crank comes as a wheel",
    source: "github.com/OpenTracksApp/OpenTracks, README_TESTED_SENSORS.md and SensorDataCycling.java",
    capture: "CyclingSpeedCadence/wahoo-cadence-quirk"),
  Quirk(
    "Favero Assioma DUO", [DeviceMark(name: "ASSIOMA")], .balanceNeedsPower,
    habit: "its balance counts only while there is power",
    source: "github.com/GoldenCheetah/GoldenCheetah, issues 2955 and 3473", capture: "CyclingPower/assioma-quirk"),
  Quirk(
    "KayakPro Genesis Port",
    [DeviceMark(name: "KayakPro"), DeviceMark(manufacturer: "North Pole Engineering", model: "64")], .energyIsShort,
    habit: "its energy is sent in fewer bytes than the rule has",
    source: "github.com/TrackMyIndoorWorkout/TrackMyIndoorWorkout, test data and device descriptors",
    capture: "FitnessMachine/kayakpro-quirk"),
]
